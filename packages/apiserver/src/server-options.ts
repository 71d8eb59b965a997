// Options of the API server.

import type { Clock } from "@kubewright/api";
import type { FeatureGate } from "@kubewright/kinds";
import type { AdmissionPlugin } from "./admission/admission.js";
import type { DynamicAdmissionOptions } from "./admission/dynamic-admission.js";
import type { AggregationOptions } from "./aggregation/extension-server.js";
import type { AuditOptions } from "./audit/auditor.js";
import type { RequestLog } from "./audit/request-log.js";
import type { AccessOptions } from "./auth/access-control.js";

import type { ServiceResolver } from "./listener/https-webhook-caller.js";
import type { Storage } from "./storage/index.js";
import type { NodeProxy } from "./subresources/index.js";
import type { ControlPlanePart } from "./virtual-kinds/component-status.js";
import type { WebhookCaller } from "./webhook-client/webhook-caller.js";

/** Options of an API server. */
export interface ApiServerOptions extends AccessOptions, DynamicAdmissionOptions, AggregationOptions {
  readonly clock?: Clock | undefined;
  readonly storage?: Storage | undefined;
  readonly newUid?: (() => string) | undefined;
  readonly random?: (() => number) | undefined;
  /** How the parts of the control plane are, whenever someone asks. Default: alone with its store. */
  readonly controlPlane?: (() => readonly ControlPlanePart[]) | undefined;
  /** How logs and streams of pods are reached; without it no node can be. */
  readonly nodes?: NodeProxy | undefined;
  /** How webhooks are called. Default: over HTTPS. */
  readonly callWebhook?: WebhookCaller | undefined;
  /** Where the Services of webhooks and APIServices can be reached: over HTTPS, or as functions of this process. Without it they cannot. */
  readonly resolveService?: ServiceResolver | undefined;
  /** Admission plugins besides the built-in ones; those with a name Kubernetes knows run at its place. */
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  /** Admission plugins to leave out, by name. */
  readonly disableAdmission?: readonly string[] | undefined;
  /** Features to switch on that Kubernetes leaves off. */
  readonly featureGates?: readonly FeatureGate[] | undefined;
  /**
   * Milliseconds after which states of the past can no longer be listed, or twice as many, where the server makes its own storage.
   * Default: five minutes; zero: never.
   */
  readonly compactionInterval?: number | undefined;
  /** Milliseconds after which events are forgotten. Default: an hour. */
  readonly eventTtl?: number | undefined;
  /** Where services get their addresses: one range, or one of each family, the usual one first. `10.96.0.0/16` by default. */
  readonly serviceRanges?: readonly string[] | undefined;
  /** The audit log and webhook. Default: none. */
  readonly audit?: AuditOptions | undefined;
  /** Called with every request and its response. */
  readonly requestLog?: Pick<RequestLog, "add"> | undefined;
}
