// Storage-version migration: after the storage version of a kind has changed, its objects are still stored in the version they were
// last written in. Each is written once as it is, which stores it anew, and then status.storedVersions may forget the older versions.
import {
  CustomResourceDefinition,
  isConflict,
  isNotFound,
  type KubeObject,
  type ResourceDescriptor,
} from "@kubewright/api";
import type { Client } from "@kubewright/client";

/** What became of a kind. */
export interface Migration {
  /** `orders.shop.example.com`. */
  readonly name: string;
  readonly storageVersion: string;
  /** The versions that objects may have been stored in before. */
  readonly before: readonly string[];
  /** Objects that were written anew. */
  readonly rewritten: number;
}

/** How often an object is read again that somebody else writes at the same time. */
const attempts = 5;

/** Undefined for a kind that is not installed. Nothing is written where all objects are stored in the storage version already. */
export async function migrateStorage(client: Client, name: string): Promise<Migration | undefined> {
  const crd = await definition(client, name);
  if (!crd) return undefined;
  const storageVersion = crd.spec.versions.find(({ storage }) => storage)?.name ?? "";
  const before = crd.status?.storedVersions ?? [];
  const done = { name, storageVersion, before };
  if (before.every((version) => version === storageVersion)) return { ...done, rewritten: 0 };
  const { group, names } = crd.spec;
  const resource = await client.resource({ apiVersion: `${group}/${storageVersion}`, kind: names.kind });
  const rewritten = await rewriteAll(client, resource);
  await forget(client, name, storageVersion);
  return { ...done, rewritten };
}

async function rewriteAll(client: Client, resource: ResourceDescriptor<KubeObject>): Promise<number> {
  let rewritten = 0;
  for await (const object of client.items(resource)) if (await rewrite(client, resource, object)) rewritten++;
  return rewritten;
}

/** Writes an object as it is. One that is gone needs no more; one that somebody changed meanwhile is read again. */
async function rewrite(
  client: Client,
  resource: ResourceDescriptor<KubeObject>,
  listed: KubeObject,
): Promise<boolean> {
  const { name = "", namespace } = listed.metadata ?? {};
  let object = listed;
  for (let attempt = 1; ; attempt++) {
    try {
      await client.update(resource, object);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error) || attempt === attempts) throw error;
    }
    const found = await client.get(resource, name, { namespace }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!found) return false;
    object = found;
  }
}

/** Refused by the server when the storage version has changed since, so that nothing is forgotten that may still be stored. */
async function forget(client: Client, name: string, storageVersion: string): Promise<void> {
  const crd = await definition(client, name);
  const isStill = crd?.spec.versions.some((version) => version.storage && version.name === storageVersion);
  if (!crd || !isStill)
    throw new Error(`${name}: the storage version has changed during the migration; run it again`);
  const merge = {
    metadata: { resourceVersion: crd.metadata?.resourceVersion },
    status: { storedVersions: [storageVersion] },
  };
  await client.patch(CustomResourceDefinition, name, { merge }, { subresource: "status" });
}

const definition = (client: Client, name: string): Promise<CustomResourceDefinition | undefined> =>
  client.get(CustomResourceDefinition, name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
