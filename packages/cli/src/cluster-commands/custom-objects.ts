// The objects of a project's kinds that a cluster has.
import { isNotFound } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { CustomKind } from "@kubewright/runtime";

/** `ModelBox shop/web`, of each; a kind that is not installed has none. */
export async function customObjects(
  client: Client,
  kinds: readonly CustomKind[],
): Promise<readonly string[]> {
  const lists = await Promise.all(kinds.map((kind) => objectsOf(client, kind)));
  return lists.flat();
}

async function objectsOf(client: Client, kind: CustomKind): Promise<readonly string[]> {
  const found: string[] = [];
  try {
    for await (const object of client.items(kind)) found.push(`${kind.kind} ${placeOf(object)}`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return found;
}

function placeOf(object: unknown): string {
  if (typeof object !== "object" || object === null || !("metadata" in object)) return "";
  const { metadata } = object;
  if (typeof metadata !== "object" || metadata === null || !("name" in metadata)) return "";
  return "namespace" in metadata
    ? `${String(metadata.namespace)}/${String(metadata.name)}`
    : String(metadata.name);
}
