// The caches one controller needs: shared with other controllers where they want the same, given back at its end.
import { setMaxListeners } from "node:events";
import type { Clock, KubeObject } from "@kubewright/api";
import type { Informer } from "../informer/informer.js";
import type { InformerLease, InformerPool } from "../informer/informer-pool.js";
import type { WaitReason } from "../informer/reflector-state.js";
import type { Selection } from "../informer/selection.js";
import { controllerIndex, controllerUids } from "./child.js";
import { indexName } from "./declared-kinds.js";
import type { ControllerDefinition } from "./define-controller.js";
import { type AnyResource, kindIdentity } from "./kinds.js";

export class ControllerCaches {
  /** Of the controller's own kind. */
  readonly main: Informer<KubeObject>;
  /** In the order of the definition's `owns` and `watches`. */
  readonly owned: readonly Informer<KubeObject>[];
  readonly watched: readonly Informer<KubeObject>[];
  readonly #leases: InformerLease<KubeObject>[] = [];

  constructor(definition: ControllerDefinition, pool: InformerPool) {
    const { name, resource, owns, watches, namespaces, labelSelector, indexes } = definition;
    const acquire = (kind: AnyResource, selection: Selection): Informer<KubeObject> => {
      const lease = pool.acquire(kind, stated({ namespaces, ...stated(selection) }));
      this.#leases.push(lease);
      return lease.informer;
    };
    this.main = acquire(resource, { labelSelector });
    for (const [index, of] of Object.entries(indexes)) this.main.store.addIndex(indexName(name, index), of);
    this.owned = owns.map((entry) => acquire(entry.resource, {}));
    for (const { store } of this.owned) store.addIndex(controllerIndex, controllerUids);
    this.watched = watches.map(({ resource: kind, settings }) => {
      const informer = acquire(kind, {
        namespaces: settings.namespaces,
        labelSelector: settings.labelSelector,
        fieldSelector: settings.fieldSelector,
      });
      for (const [index, of] of Object.entries(settings.indexes ?? {}))
        informer.store.addIndex(indexName(name, index), of);
      return informer;
    });
  }

  /** The cache of a kind; children before what is watched for other reasons. */
  of(kind: AnyResource): Informer<KubeObject> | undefined {
    const identity = kindIdentity(kind);
    return [this.main, ...this.owned, ...this.watched].find(
      ({ resource }) => kindIdentity(resource) === identity,
    );
  }

  /** Resolves with true when all are filled, with false when the signal ends the wait. */
  async filled(signal: AbortSignal): Promise<boolean> {
    // Every cache listens to it once, and Node warns of more than ten.
    setMaxListeners(0, signal);
    try {
      await Promise.all(this.#leases.map(({ informer }) => informer.synced(signal)));
      return true;
    } catch {
      return false;
    }
  }

  /** The same, with a time limit. */
  async filledWithin(clock: Clock, timeout: number, signal: AbortSignal): Promise<boolean> {
    const limit = new AbortController();
    const timer = clock.setTimer(timeout, () => limit.abort());
    try {
      return await this.filled(AbortSignal.any([signal, limit.signal]));
    } finally {
      timer.cancel();
    }
  }

  /** The caches that have not synced, with the reason. */
  describeDelay(timeout: number): string {
    const late = this.#leases.map(({ informer }) => informer).filter(({ hasSynced }) => !hasSynced);
    const kinds = late.map(({ resource, problem }) =>
      problem
        ? `${resource.kind} (${hints[problem.reason] ?? problem.reason}: ${problem.message})`
        : resource.kind,
    );
    return `still waiting, after ${timeout} ms, for the caches of ${[...new Set(kinds)].join(", ")}`;
  }

  async release(): Promise<void> {
    await Promise.all(this.#leases.map((lease) => lease.release()));
  }
}

/** The usual causes, to check first. */
const hints: Partial<Record<WaitReason, string>> = {
  "not-found": "is its CustomResourceDefinition installed?",
  forbidden: "is it allowed to list and watch it?",
};

/** Without what is not stated, so that the pool's own settings for a kind remain. */
function stated(selection: Selection): Selection {
  return Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined));
}
