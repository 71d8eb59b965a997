// What applying objects would change, as the server itself works it out.
import { isNotFound } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { yamlText } from "../manifests/yaml-text.js";
import { lineDiff } from "../scaffold/line-diff.js";
import { nameOf, type Placed } from "./apply-objects.js";

/** `create Deployment …`, `unchanged …`, or `change …` with the lines that differ. */
export async function previewObject(
  client: Client,
  object: Placed,
  fieldManager: string,
  /** A merge patch to show instead of an apply, which could not be tried before something else is changed. */
  merge?: object,
): Promise<string> {
  const { apiVersion = "", kind = "", metadata = {} } = object;
  const { name = "", namespace } = metadata;
  try {
    const resource = await client.resource({ apiVersion, kind });
    const live = await client.get(resource, name, { namespace });
    const desired = { ...object, metadata: { ...metadata, name } };
    const applied = merge
      ? await client.patch(resource, name, { merge }, { namespace, dryRun: true })
      : await client.apply(resource, desired, { fieldManager, force: true, dryRun: true });
    const difference = lineDiff(yamlText(stated(live)), yamlText(stated(applied)));
    return difference === "" ? `unchanged ${nameOf(object)}` : `change ${nameOf(object)}\n${difference}`;
  } catch (error) {
    if (isNotFound(error)) return `create ${nameOf(object)}`;
    throw error;
  }
}

/** Without what the server keeps for itself. */
function stated(object: object): object {
  const { status: _status, metadata, ...rest } = object as { status?: unknown; metadata?: object };
  const {
    managedFields: _fields,
    resourceVersion: _version,
    generation: _generation,
    ...kept
  } = (metadata ?? {}) as Record<string, unknown>;
  return { ...rest, metadata: kept };
}
