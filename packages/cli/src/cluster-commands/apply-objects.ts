// Applies and deletes objects of any kind, in order, through the server's own account of its kinds.
import { isNotFound } from "@kubewright/api";
import type { Client } from "@kubewright/client";

/** As much of an object as is needed to find it. */
export interface Placed {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?:
    | { readonly name?: string | undefined; readonly namespace?: string | undefined }
    | undefined;
}

/** `Deployment modelbox-system/modelbox-controller-manager`. */
export function nameOf({ kind = "", metadata = {} }: Placed): string {
  const { namespace, name = "" } = metadata;
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** Server-side apply of one object. */
export async function applyObject(client: Client, object: Placed, fieldManager: string): Promise<void> {
  const { apiVersion = "", kind = "", metadata = {} } = object;
  const resource = await client.resource({ apiVersion, kind });
  const { name = "" } = metadata;
  await client.apply(resource, { ...object, metadata: { ...metadata, name } }, { fieldManager, force: true });
}

/** Deletes one object; false when there was none. */
export async function deleteObject(client: Client, object: Placed): Promise<boolean> {
  const { apiVersion = "", kind = "", metadata = {} } = object;
  try {
    const resource = await client.resource({ apiVersion, kind });
    await client.delete(resource, metadata.name ?? "", {
      namespace: metadata.namespace,
      propagationPolicy: "Background",
    });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
