// Keeps count of what namespaces use of their quotas.
import {
  deepEqual,
  type KubeObject,
  PersistentVolumeClaim,
  Pod,
  ResourceClaim,
  ResourceQuota,
  Service,
} from "@kubewright/api";
import { countName, measuredKinds, plainlyCounted } from "@kubewright/apiserver";
import { type ObjectChange, objectKey, type StoreReader } from "@kubewright/runtime";
import { isFinished } from "../../workload/pod-state.js";
import type { BuiltInController, ControllerEnvironment, RunningController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { quotaStatus } from "./quota-status.js";

export const resourceQuotaController: BuiltInController = {
  name: "resourcequota",
  start: (environment) => new Quotas(environment).start(),
};

class Quotas implements RunningController {
  readonly #environment: ControllerEnvironment;
  readonly #loop: SyncLoop;
  readonly #quotas: StoreReader<ResourceQuota>;
  readonly #pods: StoreReader<Pod>;
  readonly #services: StoreReader<Service>;
  readonly #claims: StoreReader<PersistentVolumeClaim>;
  readonly #deviceClaims: StoreReader<ResourceClaim>;
  /** Every kind is watched as soon as there is a quota, and not before. */
  #watching: Promise<() => void> | undefined;

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#loop = new SyncLoop(environment, { name: "resourcequota", sync: (key) => this.#sync(key) });
    this.#quotas = this.#loop.watch(ResourceQuota, ({ key, current }) => (current ? [key] : []));
    this.#pods = this.#loop.watch(Pod, (change) => (isUsageChange(change) ? this.#quotasFor(change) : []));
    this.#services = this.#loop.watch(Service, (change) => this.#quotasFor(change));
    this.#claims = this.#loop.watch(PersistentVolumeClaim, (change) => this.#quotasFor(change));
    this.#deviceClaims = this.#loop.watch(ResourceClaim, (change) => this.#quotasFor(change));
  }

  async start(): Promise<this> {
    await this.#loop.start();
    return this;
  }

  async close(): Promise<void> {
    const unsubscribe = await this.#watching?.catch(() => undefined);
    unsubscribe?.();
    await this.#loop.close();
  }

  #quotasFor({ previous, current }: ObjectChange<KubeObject>): Iterable<string> {
    const { namespace } = (current ?? previous)?.metadata ?? {};
    return this.#quotas.size === 0 ? [] : this.#quotas.list({ namespace }).map(objectKey);
  }

  async #sync(key: string): Promise<undefined> {
    const quota = this.#quotas.get(key);
    if (!quota || quota.metadata?.deletionTimestamp) return;
    await this.#watchEveryKind();
    const { namespace = "" } = quota.metadata ?? {};
    const contents = {
      pods: this.#pods.list({ namespace }),
      services: this.#services.list({ namespace }),
      claims: this.#claims.list({ namespace }),
      deviceClaims: this.#deviceClaims.list({ namespace }),
      counts: this.#countsIn(namespace),
    };
    const status = quotaStatus(quota, contents, this.#environment.clock.now());
    if (deepEqual(status, quota.status)) return;
    await this.#environment.client.update(ResourceQuota, { ...quota, status }, { subresource: "status" });
  }

  #countsIn(namespace: string): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [resource, objects] of this.#environment.everyKind.inNamespace(namespace)) {
      if (measuredKinds.has(countName(resource))) continue;
      counts.set(countName(resource), objects.length);
      if (resource.group === "" && plainlyCounted.has(resource.plural))
        counts.set(resource.plural, objects.length);
    }
    return counts;
  }

  async #watchEveryKind(): Promise<void> {
    this.#watching ??= this.#environment.everyKind.subscribe((_resource, { previous, current }) => {
      if (previous && current) return;
      const namespace = (current ?? previous)?.metadata.namespace;
      if (namespace === undefined) return;
      for (const quota of this.#quotas.list({ namespace })) this.#loop.add(objectKey(quota));
    });
    await this.#watching;
  }
}

/** Most changes of pods change nothing of what they use. */
function isUsageChange({ previous, current }: ObjectChange<Pod>): boolean {
  if (!previous || !current) return true;
  return (
    isFinished(previous) !== isFinished(current) ||
    previous.metadata?.generation !== current.metadata?.generation ||
    previous.metadata?.deletionTimestamp !== current.metadata?.deletionTimestamp
  );
}
