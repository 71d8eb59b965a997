// What pods refer to: ConfigMaps and Secrets in environments and volumes, and claims. Whoever misses something waits for it
// to change instead of looking again and again.
import {
  ConfigMap,
  type Container,
  type EnvVar,
  isNotFound,
  PersistentVolumeClaim,
  type Pod,
  Secret,
} from "@kubewright/api";
import type { CachedClient, InformerLease, InformerPool } from "@kubewright/runtime";

/** One thing that has to be there. */
export interface Reference {
  readonly kind: "ConfigMap" | "Secret" | "PersistentVolumeClaim";
  readonly name: string;
  /** A key it must have. */
  readonly key?: string | undefined;
}

type Found = ConfigMap | Secret | PersistentVolumeClaim;
const kinds = { ConfigMap, Secret, PersistentVolumeClaim } as const;

export class PodReferences {
  readonly #client: CachedClient;
  readonly #pool: InformerPool;
  readonly #leases = new Map<Reference["kind"], InformerLease<Found>>();
  /** By kind, namespace and name. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(client: CachedClient, pool: InformerPool) {
    this.#client = client;
    this.#pool = pool;
  }

  async find({ kind, name }: Reference, namespace: string): Promise<Found | undefined> {
    try {
      if (kind === "ConfigMap") return await this.#client.get(ConfigMap, name, { namespace });
      if (kind === "Secret") return await this.#client.get(Secret, name, { namespace });
      return await this.#client.get(PersistentVolumeClaim, name, { namespace });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Looks at every change of the references until nothing is wrong; false when the signal is aborted before. */
  async settled(options: {
    readonly references: readonly Reference[];
    readonly namespace: string;
    readonly signal: AbortSignal;
    readonly problem: () => Promise<string | undefined>;
    readonly onProblem: (problem: string) => void;
  }): Promise<boolean> {
    const { references, namespace, signal, problem, onProblem } = options;
    let change: Promise<void> | undefined;
    while (!signal.aborted) {
      const found = await problem();
      if (found === undefined) break;
      // Asked for again once changes are heard of: it may have come in between.
      if (!change) {
        change = this.#change(references, namespace, signal);
        continue;
      }
      onProblem(found);
      await change;
      change = undefined;
    }
    return !signal.aborted;
  }

  async close(): Promise<void> {
    for (const stop of this.#unsubscribe) stop();
    await Promise.all([...this.#leases.values()].map((lease) => lease.release()));
  }

  /** Resolves when one of these changed after the call, or the signal is aborted. */
  #change(references: readonly Reference[], namespace: string, signal: AbortSignal): Promise<void> {
    const keys = references.map(({ kind, name }) => `${kind}/${namespace}/${name}`);
    return new Promise<void>((resolve) => {
      const done = (): void => {
        signal.removeEventListener("abort", done);
        for (const key of keys) this.#forget(key, done);
        resolve();
      };
      signal.addEventListener("abort", done, { once: true });
      for (const key of keys) this.#expect(key, done);
      for (const { kind } of references) this.#watch(kind);
    });
  }

  /** Changes of the kind are heard of from now on; those there are already, too, in case one came in between. */
  #watch(kind: Reference["kind"]): void {
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
}

/** What the environment of a container needs. */
export function environmentReferences({ envFrom = [], env = [] }: Container): readonly Reference[] {
  const whole = envFrom.flatMap(({ configMapRef, secretRef }): Reference[] => [
    ...(configMapRef?.name && !configMapRef.optional
      ? [{ kind: "ConfigMap" as const, name: configMapRef.name }]
      : []),
    ...(secretRef?.name && !secretRef.optional ? [{ kind: "Secret" as const, name: secretRef.name }] : []),
  ]);
  return [...whole, ...env.flatMap(variableReferences)];
}

function variableReferences({ valueFrom }: EnvVar): readonly Reference[] {
  const map = valueFrom?.configMapKeyRef;
  const secret = valueFrom?.secretKeyRef;
  if (map?.name && !map.optional) return [{ kind: "ConfigMap", name: map.name, key: map.key }];
  if (secret?.name && !secret.optional) return [{ kind: "Secret", name: secret.name, key: secret.key }];
  return [];
}

/** What keeps the container from being made, in the kubelet's words; undefined when nothing does. */
export async function configurationProblem(
  references: PodReferences,
  pod: Pod,
  container: Container,
): Promise<string | undefined> {
  const namespace = pod.metadata?.namespace ?? "";
  for (const reference of environmentReferences(container)) {
    const { kind, name, key } = reference;
    const found = await references.find(reference, namespace);
    if (!found) return `${kind.toLowerCase()} "${name}" not found`;
    if (key !== undefined && !hasKey(found, key))
      return `couldn't find key ${key} in ${kind} ${namespace}/${name}`;
  }
  return undefined;
}

/** Whether a ConfigMap or Secret has the key. */
export function hasKey(object: Found, key: string): boolean {
  const data = "data" in object ? object.data : undefined;
  const binary = "binaryData" in object ? object.binaryData : undefined;
  return Object.hasOwn(data ?? {}, key) || Object.hasOwn(binary ?? {}, key);
}
