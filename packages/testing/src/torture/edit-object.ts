// An edit by somebody else: of one field that the operator declares, so that the operator has to put it back.
import type { KubeObject } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { appliedFields, type FieldPath, valueAt } from "./applied-fields.js";

/** The field manager of the people who interfere. */
export const somebody = "somebody";

/**
 * Changes one of the fields that `manager` applies; `choice` selects which one, and the next is tried where the server refuses. Returns the
 * path of the field; undefined where the object has none that could be changed.
 */
export async function editObject(
  client: Client,
  object: KubeObject,
  manager: string,
  choice: number,
): Promise<string | undefined> {
  const { apiVersion = "", kind = "", metadata } = object;
  const fields = appliedFields(object, manager);
  if (fields.length === 0 || !metadata?.name) return undefined;
  const resource = await client.resource({ apiVersion, kind });
  for (let attempt = 0; attempt < Math.min(fields.length, 20); attempt++) {
    const path = fields[(choice + attempt) % fields.length] ?? [];
    const patch = {
      json: [{ op: "replace", path: pointerOf(path), value: edited(valueAt(object, path)) }],
    } as const;
    const options = { namespace: metadata.namespace, fieldManager: somebody };
    const isDone = await client.patch(resource, metadata.name, patch, options).then(
      () => true,
      () => false,
    );
    if (isDone) return path.join(".");
  }
  return undefined;
}

function edited(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : `${String(value)}-edited`;
}

const pointerOf = (path: FieldPath): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
