// Changes of the objects that pods refer to, for all nodes at once: a pod that misses one waits for its change instead of
// polling.
import { ConfigMap, PersistentVolumeClaim, Pod, Secret } from "@kubewright/api";
import type { InformerLease, InformerPool } from "@kubewright/runtime";

type Found = ConfigMap | Secret | PersistentVolumeClaim | Pod;
const kinds = { ConfigMap, Secret, PersistentVolumeClaim, Pod } as const;

/** An object whose changes matter to a pod. */
export interface WatchedObject {
  readonly kind: keyof typeof kinds;
  readonly name: string;
}

/** One thing that has to be there. */
export interface Reference extends WatchedObject {
  readonly kind: Exclude<WatchedObject["kind"], "Pod">;
  /** A key it must have. */
  readonly key?: string | undefined;
}

export class ReferenceChanges {
  readonly #pool: InformerPool;
  readonly #leases = new Map<WatchedObject["kind"], InformerLease<Found>>();
  /** By kind, namespace and name. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(pool: InformerPool) {
    this.#pool = pool;
  }

  /** Resolves when one of these changed after the call, or the signal is aborted. */
  next(objects: readonly WatchedObject[], namespace: string, signal: AbortSignal): Promise<void> {
    const keys = objects.map(({ kind, name }) => `${kind}/${namespace}/${name}`);
    return new Promise<void>((resolve) => {
      const done = (): void => {
        signal.removeEventListener("abort", done);
        for (const key of keys) this.#forget(key, done);
        resolve();
      };
      signal.addEventListener("abort", done, { once: true });
      for (const key of keys) this.#expect(key, done);
      for (const { kind } of objects) this.#watch(kind);
    });
  }

  /** Changes of the kind are heard of from now on; those there are already, too, in case one came in between. */
  #watch(kind: WatchedObject["kind"]): void {
    if (this.#leases.has(kind)) return;
    const lease: InformerLease<Found> = this.#pool.acquire<Found>(kinds[kind]);
    this.#unsubscribe.push(
      lease.informer.onChange(({ previous, current }) => {
        const { namespace, name } = (current ?? previous)?.metadata ?? {};
        for (const done of [...(this.#waiting.get(`${kind}/${namespace}/${name}`) ?? [])]) done();
      }),
    );
    this.#leases.set(kind, lease);
  }

  #expect(key: string, done: () => void): void {
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(done));
  }

  #forget(key: string, done: () => void): void {
    const waiting = this.#waiting.get(key);
    waiting?.delete(done);
    if (waiting?.size === 0) this.#waiting.delete(key);
  }

  async close(): Promise<void> {
    for (const stop of this.#unsubscribe) stop();
    await Promise.all([...this.#leases.values()].map((lease) => lease.release()));
  }
}
