import {
  deepEqual,
  isAlreadyExists,
  isNotFound,
  type KubeObject,
  type ResourceDescriptor,
} from "@kubewright/api";
import type { Client } from "../client.js";
import type { WriteOptions } from "../options.js";
import { type RetryOnConflictOptions, retryOnConflict } from "./retry-on-conflict.js";

/** The outcome for the object. */
export interface CreateOrUpdateResult<T> {
  readonly object: T;
  readonly outcome: "created" | "updated" | "unchanged";
}

/** Names an object. */
export interface ObjectKey {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/**
 * Brings an object to the form that `desired` makes of what is there; creates it when nothing is. Writes nothing when
 * nothing would change, and starts over when somebody else was faster. Prefer `client.apply` where you own whole fields:
 * this is for changes that depend on the present value.
 *
 * @example
 * await createOrUpdate(client, ConfigMap, { name: "hits", namespace: "shop" }, (now) => ({
 *   ...now,
 *   metadata: { name: "hits", ...now?.metadata },
 *   data: { count: String(Number(now?.data?.["count"] ?? 0) + 1) },
 * }));
 */
export function createOrUpdate<T extends KubeObject, Input extends KubeObject>(
  client: Client,
  resource: ResourceDescriptor<T, Input>,
  { name, namespace }: ObjectKey,
  desired: (existing: T | undefined) => NoInfer<Input>,
  options: WriteOptions & RetryOnConflictOptions = {},
): Promise<CreateOrUpdateResult<T>> {
  const write = { ...options, namespace: namespace ?? options.namespace };
  const attempt = async (): Promise<CreateOrUpdateResult<T>> => {
    const existing = await client.get(resource, name, write).catch(absent);
    const wanted = desired(existing);
    if (existing === undefined)
      return { object: await client.create(resource, wanted, write), outcome: "created" };
    if (deepEqual(existing, wanted)) return { object: existing, outcome: "unchanged" };
    return { object: await client.update(resource, wanted, write), outcome: "updated" };
  };
  // Somebody who created it first is a conflict like any other: the next attempt finds the object.
  const again = (error: unknown) => (isAlreadyExists(error) ? attempt() : Promise.reject(error));
  return retryOnConflict(() => attempt().catch(again), options);
}

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
