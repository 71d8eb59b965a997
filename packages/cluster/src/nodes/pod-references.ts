// The ConfigMaps, Secrets and claims that pods reference in environments and volumes.
import {
  ConfigMap,
  type Container,
  type EnvVar,
  isNotFound,
  PersistentVolumeClaim,
  type Pod,
  Secret,
} from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import type { Reference, ReferenceChanges, WatchedObject } from "./reference-changes.js";

type Found = ConfigMap | Secret | PersistentVolumeClaim;

/** The objects that pods of one node refer to, as its kubelet sees them. */
export class PodReferences {
  readonly #client: CachedClient;
  readonly #changes: ReferenceChanges;

  constructor(client: CachedClient, changes: ReferenceChanges) {
    this.#client = client;
    this.#changes = changes;
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

  /** Looks at every change of the references until nothing is wrong, and reports each problem once; false when the signal is aborted before. */
  async settled(options: {
    readonly references: readonly WatchedObject[];
    readonly namespace: string;
    readonly signal: AbortSignal;
    readonly problem: () => Promise<string | undefined>;
    readonly onProblem: (problem: string) => void;
  }): Promise<boolean> {
    const { references, namespace, signal, problem, onProblem } = options;
    let change: Promise<void> | undefined;
    let reported: string | undefined;
    while (!signal.aborted) {
      const found = await problem();
      if (found === undefined) break;
      // Asked for again once changes are heard of: it may have come in between.
      if (!change) {
        change = this.#changes.next(references, namespace, signal);
        continue;
      }
      if (found !== reported) onProblem(found);
      reported = found;
      await change;
      change = undefined;
    }
    return !signal.aborted;
  }
}

/** The references of a container's environment. */
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

/** The kubelet's message for a missing reference; undefined when the container can be created. */
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
