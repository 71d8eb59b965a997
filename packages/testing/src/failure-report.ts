// What a person wants to know when a wish did not come true: the object as it is, and what went wrong around it.
import { isNotFound, type KubeObject, type ResourceDescriptor } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { ReconcileFailure } from "./test-cluster.js";

const shownErrors = 3;

/** The message of a failed `eventually`. */
export async function failureReport<T extends KubeObject, Input>(
  client: Client,
  resource: ResourceDescriptor<T, Input>,
  name: string,
  namespace: string,
  errors: readonly ReconcileFailure[],
  timeout: number,
): Promise<string> {
  const what = resource.scope === "Namespaced" ? `${namespace}/${name}` : name;
  const lines = [
    `${resource.kind} ${what} was not as wished within ${timeout} ms`,
    await lastSeen(client, resource, name, namespace),
  ];
  for (const { where, error } of errors.slice(-shownErrors)) {
    lines.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return lines.join("\n");
}

async function lastSeen<T extends KubeObject, Input>(
  client: Client,
  resource: ResourceDescriptor<T, Input>,
  name: string,
  namespace: string,
): Promise<string> {
  try {
    const object = await client.get(resource, name, resource.scope === "Namespaced" ? { namespace } : {});
    const { metadata, ...rest } = object;
    const { managedFields: _managedFields, ...shown } = metadata ?? {};
    return `it is ${JSON.stringify({ ...rest, metadata: shown }, undefined, 2)}`;
  } catch (error) {
    return isNotFound(error)
      ? "there is none"
      : `reading it failed: ${error instanceof Error ? error.message : error}`;
  }
}
