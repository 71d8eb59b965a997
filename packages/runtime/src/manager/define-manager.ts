// A manager is what a process runs: controllers with their shared caches. Defining one starts nothing, so that tools can
// read it too.
import type { ControllerDefinition } from "../controller/define-controller.js";
import type { AnyResource } from "../controller/kinds.js";
import type { OwnChecks } from "../health/manager-health.js";
import type { KindSettings } from "../informer/informer-pool.js";
import type { MetricFamily } from "../metrics/metric-family.js";
import type { ShardingDurations } from "../sharding/sharder.js";
import { type AnyWebhook, refuseTwins } from "../webhook/webhooks-of.js";
import type { CreateDashboard } from "./dashboard-service.js";

/** Leader election: of several replicas one works at a time. Times are milliseconds. */
export interface LeaderElectionSettings {
  /** The name of the Lease. Default: the manager's. */
  readonly leaseName?: string | undefined;
  /** The namespace of the Lease. Default: the one the manager runs in. */
  readonly namespace?: string | undefined;
  readonly leaseDuration?: number | undefined;
  readonly renewDeadline?: number | undefined;
  readonly retryPeriod?: number | undefined;
}

/** Sharding: each replica has a part of the keys. Times are milliseconds. */
export interface ShardingSettings extends ShardingDurations {
  /** The name of the Lease with the members, and the prefix of the names of theirs. Default: `<manager>-shards`. */
  readonly name?: string | undefined;
  /** The namespace of the Leases. Default: the one the manager runs in. */
  readonly namespace?: string | undefined;
}

/** The controllers and webhooks of a manager, and how its replicas share the work. */
export interface ManagerOptions {
  /** The name of the operator: its field manager, its lease, its user agent. */
  readonly name: string;
  readonly controllers: readonly ControllerDefinition[];
  /** Custom kinds whose CRDs it installs, besides those its controllers are for. */
  readonly resources?: readonly AnyResource[] | undefined;
  /** Its webhooks, made with `defineWebhook` and `defineConversion`. */
  readonly webhooks?: readonly AnyWebhook[] | undefined;
  /** Watches only these namespaces, where a controller does not name others. */
  readonly namespaces?: readonly string[] | undefined;
  /** Lets several replicas run, of which one works. Default: off. */
  readonly leaderElection?: boolean | LeaderElectionSettings | undefined;
  /** Lets several replicas run, each with a part of the keys. Default: off. */
  readonly sharding?: boolean | ShardingSettings | undefined;
  /** Objects reconciled at once, by kind and group (`Deployment.apps`), where a controller does not state a number. */
  readonly concurrency?: Readonly<Record<string, number>> | undefined;
  /**
   * Requests of all its reconciles in flight at once, without watches, events and leases. Default: 32. Reconciles that wait
   * are served round-robin, one request each.
   */
  readonly maxInFlight?: number | undefined;
  /** Settings of the caches of kinds; made with `cacheKind`. */
  readonly caches?: readonly KindSettings[] | undefined;
  /** The author's own metrics, served with the manager's. */
  readonly metrics?: readonly MetricFamily[] | undefined;
  /** The author's own health checks, asked with the manager's. */
  readonly checks?: OwnChecks | undefined;
  /** Makes the dashboard of the manager: `dashboard` of `@kubewright/dashboard`. It is served where the process asks for it. */
  readonly dashboard?: CreateDashboard | undefined;
}

/** An operator, ready to be started against any cluster. */
export interface ManagerDefinition extends ManagerOptions {
  readonly kind: "kubewright.manager";
}

/**
 * Declares a manager: controllers and webhooks that run in one process. Nothing starts before `startManager` or `runManager`.
 *
 * @example
 * export default defineManager({ name: "modelbox", controllers: [modelBoxController] });
 */
export function defineManager(options: ManagerOptions): ManagerDefinition {
  const names = new Set<string>();
  for (const { name } of options.controllers) {
    if (names.has(name))
      throw new Error(`manager "${options.name}" has two controllers named "${name}"; give one another name`);
    names.add(name);
  }
  demandLeader(options);
  refuseTwins(options);
  return { ...options, kind: "kubewright.manager" };
}

/** Every key is reconciled by one replica at a time: a controller is sharded, or the leader's. */
function demandLeader({ name, controllers, sharding, leaderElection }: ManagerOptions): void {
  if (!sharding || leaderElection) return;
  const alone = controllers.find(({ sharded, everywhere }) => sharded === false && !everywhere);
  if (alone)
    throw new Error(
      `manager "${name}": controller "${alone.name}" is not sharded, so the manager needs leaderElection`,
    );
}

/** The group of a manager's sharding: the name of the Lease with the map, and the label of all its Leases. */
export function shardGroup({ name, sharding }: Pick<ManagerOptions, "name" | "sharding">): string {
  return (typeof sharding === "object" ? sharding.name : undefined) ?? `${name}-shards`;
}

/** The field manager and the user agent of a manager's client. */
export function clientNames({ name }: Pick<ManagerOptions, "name">): {
  readonly fieldManager: string;
  readonly userAgent: string;
} {
  return { fieldManager: name, userAgent: `${name} kubewright` };
}
