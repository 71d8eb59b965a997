// Authentication, impersonation and authorization of one server, put together.

import type { TransportRequest } from "@kubewright/api";
import { type Authorizer, isPrivileged, type RuleResolver, type UserInfo } from "@kubewright/kinds";
import type { AuditRecord } from "../audit/audit-record.js";
import type { AuditIdentity } from "../audit/auditor.js";

import type { AccessMetrics } from "../metrics/access-metrics.js";
import type { Services } from "../registry/request-context.js";
import type { RequestInfo } from "../request/request-info.js";
import { opensPodByReading } from "../request/requested.js";
import { attempted, authenticate, type Peer } from "./authenticate.js";
import {
  accessDenied,
  allowAll,
  anyAuthorizer,
  demand,
  everyRule,
  questionOf,
  resourceQuestion,
} from "./authorizer.js";
import { Impersonation } from "./impersonation/impersonation.js";
import { wantedUser } from "./impersonation/wanted-user.js";
import { nodeAuthorizer } from "./node/node-authorizer.js";
import { nodeOf } from "./node/node-identity.js";
import { RbacPolicy } from "./rbac/rbac-policy.js";
import { ServiceAccountTokens } from "./service-account-tokens.js";
import type { FormerKey } from "./signing-keys.js";
import { anyOf, staticTokens, type TokenIdentity, type TokenLookup } from "./token-authenticator.js";

export interface AccessOptions {
  /** Users by bearer token: a Map, or what looks them up. */
  readonly tokens?: TokenLookup | undefined;
  /** `rbac` by default, with what kubelets may do because of the pods they run; `none` lets everyone do everything. */
  readonly authorization?: "rbac" | "none" | undefined;
  /** The key that signs service account tokens: PEM, on the curve P-256. Default: a fresh key. */
  readonly serviceAccountKey?: string | undefined;
  /** Former signing keys whose tokens are still accepted. */
  readonly formerServiceAccountKeys?: readonly FormerKey[] | undefined;
}

/** Observers of the authentication and authorization of a request. */
export interface AccessObservers {
  readonly record?: AuditRecord | undefined;
  readonly metrics?: AccessMetrics | undefined;
}

export class AccessControl {
  readonly authorizer: Authorizer;
  readonly rulesFor: RuleResolver;
  readonly serviceAccountTokens: ServiceAccountTokens;
  readonly authenticateToken: (token: string, audiences: readonly string[]) => TokenIdentity;
  readonly #policy: RbacPolicy | undefined;
  readonly #impersonation: Impersonation;

  constructor(services: Pick<Services, "storage" | "clock" | "newUid">, options: AccessOptions) {
    this.#policy = options.authorization === "none" ? undefined : new RbacPolicy(services.storage);
    this.authorizer = this.#policy
      ? withNodes(nodeAuthorizer(services.storage), this.#policy.authorize)
      : allowAll;
    this.rulesFor = this.#policy ? withoutNodes(this.#policy.rulesFor) : everyRule;
    this.serviceAccountTokens = new ServiceAccountTokens(
      services,
      options.serviceAccountKey,
      options.formerServiceAccountKeys,
    );
    this.authenticateToken = anyOf([
      staticTokens(options.tokens ?? new Map()),
      this.serviceAccountTokens.authenticate,
    ]);
    this.#impersonation = new Impersonation(this.authorizer);
  }

  /** The user a request is to be carried out for. Throws 401, 403, or 400 for an impersonation without a user name. */
  admit(
    request: TransportRequest,
    peer: Peer,
    info: RequestInfo,
    { record, metrics }: AccessObservers = {},
  ): UserInfo {
    const caller = this.#authenticate(request, peer, record, metrics);
    const wanted = wantedUser(request.headers);
    const other = wanted && this.#impersonation.become(wanted, questionOf(caller, info, request));
    if (other) record?.actsFor(other.user, other.mode);
    const user = other?.user ?? caller;
    const question = questionOf(user, info, request);
    const { allowed, reason } = this.authorizer(question);
    metrics?.decided(allowed);
    record?.annotate("authorization.k8s.io/decision", allowed ? "allow" : "forbid");
    record?.annotate("authorization.k8s.io/reason", reason);
    if (!allowed) throw accessDenied(question, reason);
    if (info.kind === "resource" && opensPodByReading(info, request.method))
      demand(this.authorizer, resourceQuestion(user, info, "create"));
    return user;
  }

  /** Whether a request would be admitted, by its headers alone. Nobody observes the question. */
  allows(request: TransportRequest, peer: Peer, info: RequestInfo): boolean {
    try {
      this.admit(request, peer, info);
      return true;
    } catch {
      return false;
    }
  }

  #authenticate(
    request: TransportRequest,
    peer: Peer,
    record: AuditRecord | undefined,
    metrics: AccessMetrics | undefined,
  ): UserInfo {
    try {
      const caller = authenticate(request, peer, this.authenticateToken, (late) => {
        metrics?.stale();
        record?.annotate("authentication.k8s.io/stale-token", late);
      });
      metrics?.authenticated(caller);
      return caller;
    } catch (error) {
      metrics?.unauthenticated();
      throw error;
    }
  }

  /** The identity of a request for the audit log. */
  identify(request: TransportRequest, peer: Peer): AuditIdentity {
    const sourceIps = peer.address === undefined ? [] : [peer.address];
    try {
      return { caller: authenticate(request, peer, this.authenticateToken), sourceIps };
    } catch {
      return { caller: undefined, sourceIps, failure: attempted(request, peer) };
    }
  }

  close(): void {
    this.#policy?.close();
  }
}

/** The node authorizer decides first about kubelets, except for users in system:masters. */
function withNodes(nodes: Authorizer, rbac: Authorizer): Authorizer {
  const either = anyAuthorizer([nodes, rbac]);
  return (question) =>
    nodeOf(question.user) === undefined || isPrivileged(question.user) ? rbac(question) : either(question);
}

/** The rules of the Node authorizer cannot be listed. */
const withoutNodes =
  (rulesFor: RuleResolver): RuleResolver =>
  (user, namespace) => {
    const held = rulesFor(user, namespace);
    return nodeOf(user) === undefined
      ? held
      : { ...held, incomplete: "node authorizer does not support user rule resolution" };
  };
