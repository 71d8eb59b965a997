// The context of one request, from the listener to the store.

import type { Clock, TransportRequest } from "@kubewright/api";
import type { Authorizer, RuleResolver, ServiceAllocators, UserInfo } from "@kubewright/kinds";
import type { ManagedFieldsTracker } from "@kubewright/machinery";
import type { AuditRecord } from "../audit/audit-record.js";

import type { LatencyTracker } from "../metrics/latency-tracker.js";
import type { ServerMetrics } from "../metrics/server-metrics.js";
import type { RequestInfo } from "../request/request-info.js";
import type { Storage } from "../storage/index.js";
import type { OpenWatches } from "../watches/open-watches.js";
import type { WebhookCaller } from "../webhook-client/webhook-caller.js";
import type { AdmissionControl } from "./admission-control.js";
import type { DeleteOptions } from "./delete-options.js";
import type { Registry } from "./registry.js";

/** The parts of a server that requests pass through. */
export interface Services {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly admission: AdmissionControl;
  readonly authorizer: Authorizer;
  readonly rulesFor: RuleResolver;
  readonly managedFieldsTracker: ManagedFieldsTracker;
  readonly clock: Clock;
  readonly openWatches: OpenWatches;
  readonly metrics: ServerMetrics;
  /** Cluster addresses and node ports. */
  readonly serviceAllocators: ServiceAllocators;
  /** How webhooks are called, for admission and conversion. */
  readonly callWebhook: WebhookCaller;
  /** A fresh RFC 4122 uid. */
  readonly newUid: () => string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export interface RequestContext {
  readonly services: Services;
  readonly request: TransportRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  /** Where the connection comes from. */
  readonly clientAddress?: string | undefined;
  /** Texts for `Warning` headers, in the order they were found. */
  readonly warnings: string[];
  /** The audit record of the request; absent without an audit log. */
  readonly record?: AuditRecord | undefined;
  /** Latency of webhooks and queues. */
  readonly latency?: LatencyTracker | undefined;
  /** Whether the caller is a program in this process, which gets JavaScript values and no JSON. */
  readonly inProcess?: boolean | undefined;
  /** Lets virtual time move on while the request waits for a timer, until the returned function is called. */
  readonly park?: (() => () => void) | undefined;
  /** How what is deleted should go, once that was read. */
  readonly deleteOptions?: Partial<DeleteOptions> | undefined;
}

/** A header by its lower-case name. */
export const headerOf = (context: RequestContext, name: string): string | undefined =>
  context.request.headers?.[name];
