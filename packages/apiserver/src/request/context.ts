// What travels with one request from the listener to the store.
import type { Clock, Pod, TransportRequest, TransportResponse } from "@kubewright/api";
import type { AdmissionChain } from "../admission/admission.js";
import type { WebhookCaller } from "../admission/webhook-caller.js";
import type { Aggregator } from "../aggregation/aggregator.js";
import type { CreationOwners } from "../apply/index.js";
import type { AuditRecord } from "../audit/audit-record.js";
import type { Authorizer, RuleResolver } from "../auth/authorizer.js";
import type { ServiceAccountTokens } from "../auth/service-account-tokens.js";
import type { TokenIdentity } from "../auth/token-authenticator.js";
import type { DiscoveryDocuments } from "../discovery/index.js";
import type { Fairness } from "../fairness/fairness.js";
import type { OpenWatches } from "../handlers/open-watches.js";
import type { ControlPlanePart } from "../kinds/core/component-status.js";
import type { ServiceAllocators } from "../kinds/core/service/service-ledger.js";
import type { OutsideTime } from "../metrics/outside-time.js";
import type { ServerMetrics } from "../metrics/server-metrics.js";
import type { OpenApiDocuments } from "../openapi/openapi-documents.js";
import type { DeleteOptions } from "../registry/delete-options.js";
import type { Registry } from "../registry/registry.js";
import type { Storage } from "../storage/index.js";
import type { RequestInfo } from "./request-info.js";
import type { UserInfo } from "./user.js";

/** Something a client wants of a running pod. */
export interface PodConnection {
  readonly pod: Pod;
  readonly nodeName: string;
  readonly action: "log" | "exec" | "attach" | "portforward" | "proxy";
  /** The container it is about; absent for ports. */
  readonly container: string | undefined;
  /** What follows `proxy` in the path. */
  readonly path: string | undefined;
  readonly request: TransportRequest;
}

/** The nodes, as the API server reaches them. The host passes it in; without it no node can be reached. */
export interface NodeProxy {
  /** Answers for the pod; undefined when this node is not one of its own. */
  connect(connection: PodConnection): Promise<TransportResponse | undefined>;
}

/** The parts of a server that handlers and strategies use. */
export interface Services {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly admission: AdmissionChain;
  readonly authorizer: Authorizer;
  readonly rulesFor: RuleResolver;
  /** Whom a bearer token stands for; throws InvalidToken when nobody vouches for it. */
  readonly authenticateToken: (token: string, audiences: readonly string[]) => TokenIdentity;
  readonly serviceAccountTokens: ServiceAccountTokens;
  readonly creationOwners: CreationOwners;
  readonly openApi: OpenApiDocuments;
  readonly discovery: DiscoveryDocuments;
  /** Who serves which group version. */
  readonly aggregator: Aggregator;
  readonly clock: Clock;
  readonly openWatches: OpenWatches;
  readonly metrics: ServerMetrics;
  /** Turns of requests over connections. */
  readonly fairness: Fairness;
  /** Whether the server is about to stop. */
  readonly shutdown: { begun: boolean };
  /** Cluster addresses and node ports. */
  readonly serviceAllocators: ServiceAllocators;
  /** How webhooks are called, for admission and conversion. */
  readonly callWebhook: WebhookCaller;
  /** A fresh RFC 4122 uid. */
  readonly newUid: () => string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** How the parts of the control plane are. */
  readonly controlPlane: () => readonly ControlPlanePart[];
  /** Where logs and streams of pods come from. */
  readonly nodes?: NodeProxy | undefined;
}

export interface RequestContext {
  readonly services: Services;
  readonly request: TransportRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  /** Texts for `Warning` headers, in the order they were found. */
  readonly warnings: string[];
  /** What the audit log is to know of it; absent where nobody keeps one. */
  readonly record?: AuditRecord | undefined;
  /** Counts the time that others take. */
  readonly outside?: OutsideTime | undefined;
  /** Lets virtual time move on while the request waits for a timer, until the returned function is called. */
  readonly park?: (() => () => void) | undefined;
  /** How what is deleted should go, once that was read. */
  readonly deleteOptions?: Partial<DeleteOptions> | undefined;
}

/** A header by its lower-case name. */
export const headerOf = (context: RequestContext, name: string): string | undefined =>
  context.request.headers?.[name];
