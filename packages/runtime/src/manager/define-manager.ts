// A manager is what a process runs: controllers with their shared caches. Defining one starts nothing, so that tools can
// read it too.
import type { ControllerDefinition } from "../controller/define-controller.js";
import type { OwnChecks } from "../health/manager-health.js";
import type { KindSettings } from "../informer/informer-pool.js";
import type { MetricFamily } from "../metrics/metric-family.js";
import { type AnyWebhook, refuseTwins } from "../webhook/webhooks-of.js";

/** How replicas share the work: one at a time. Times are milliseconds. */
export interface LeaderElectionSettings {
  /** The name of the Lease; the manager's unless told. */
  readonly leaseName?: string | undefined;
  /** The namespace of the Lease; the one the manager runs in unless told. */
  readonly namespace?: string | undefined;
  readonly leaseDuration?: number | undefined;
  readonly renewDeadline?: number | undefined;
  readonly retryPeriod?: number | undefined;
}

export interface ManagerOptions {
  /** Names the operator: its field manager, its lease, its user agent. */
  readonly name: string;
  readonly controllers: readonly ControllerDefinition[];
  /** What the API server asks it: made with `defineWebhook` and `defineConversion`. */
  readonly webhooks?: readonly AnyWebhook[] | undefined;
  /** Watches only these namespaces, where a controller does not say otherwise. */
  readonly namespaces?: readonly string[] | undefined;
  /** Lets several replicas run, of which one works; off unless told. */
  readonly leaderElection?: boolean | LeaderElectionSettings | undefined;
  /** Keys worked on at once, by kind and group (`Deployment.apps`), where a controller does not say. */
  readonly concurrency?: Readonly<Record<string, number>> | undefined;
  /** How kinds are cached that are not cached whole; made with `cacheKind`. */
  readonly caches?: readonly KindSettings[] | undefined;
  /** The author's own metrics, served with the manager's. */
  readonly metrics?: readonly MetricFamily[] | undefined;
  /** The author's own health checks, asked with the manager's. */
  readonly checks?: OwnChecks | undefined;
}

/** An operator, ready to be started against any cluster. */
export interface ManagerDefinition extends ManagerOptions {
  readonly kind: "kubewright.manager";
}

/** @example export default defineManager({ name: "modelbox", controllers: [modelBoxController] }); */
export function defineManager(options: ManagerOptions): ManagerDefinition {
  const names = new Set<string>();
  for (const { name } of options.controllers) {
    if (names.has(name))
      throw new Error(`manager "${options.name}" has two controllers named "${name}"; give one another name`);
    names.add(name);
  }
  refuseTwins(options);
  return { ...options, kind: "kubewright.manager" };
}

/** How a client of the manager should introduce itself. */
export function clientNames({ name }: Pick<ManagerOptions, "name">): {
  readonly fieldManager: string;
  readonly userAgent: string;
} {
  return { fieldManager: name, userAgent: `${name} kubewright` };
}
