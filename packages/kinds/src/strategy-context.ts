// The part of a request and of the server that the rules of a kind may use.
import type { Clock } from "@kubewright/api";
import type { Authorizer, RuleResolver } from "./access.js";
import type { ServiceAllocators } from "./core/service/service-ledger.js";
import type { StoredObject } from "./objects.js";
import type { UserInfo } from "./user.js";

/** Reads stored objects; the key is `namespace/name`, or `name` for cluster-scoped kinds. */
export interface ObjectReader {
  get(resource: string, key: string): StoredObject | undefined;
}

/** Everything a `Strategy` gets besides the object. */
export interface StrategyContext {
  readonly clock: Pick<Clock, "now">;
  readonly newUid: () => string;
  readonly storage: ObjectReader;
  /** Whether nothing will be stored. */
  readonly dryRun: boolean;
  /** The author of the write. */
  readonly user: UserInfo;
  /** Namespace and name in the URL; empty where it has none. */
  readonly requested: { readonly namespace: string; readonly name: string };
  /** Texts for `Warning` headers. */
  readonly warnings: string[];
  readonly authorizer: Authorizer;
  readonly rulesFor: RuleResolver;
  /** The plural of a served kind. */
  pluralOf(group: string, version: string, kind: string): string | undefined;
  /** Cluster IPs and node ports. */
  readonly serviceAllocators: ServiceAllocators;
}
