// Server-side apply of a text of YAML documents, as the person at the page wrote it.
import { isObject, type KubeObject } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { parseAllDocuments } from "yaml";
import type { Applied } from "./protocol.js";

/** Fields the server sets; a text that was read before it is applied has them. */
const serverFields = [
  "resourceVersion",
  "uid",
  "creationTimestamp",
  "generation",
  "managedFields",
  "selfLink",
];
const longest = 1024 * 1024;

export interface ApplyYamlOptions {
  readonly force: boolean;
  /** For objects that name none. Default: `default`. */
  readonly namespace?: string | undefined;
}

export async function applyYaml(
  client: Client,
  text: string,
  options: ApplyYamlOptions,
): Promise<readonly Applied[]> {
  const applied: Applied[] = [];
  for (const object of objectsIn(text)) applied.push(await applyOne(client, object, options));
  return applied;
}

/**
 * Applies only what a person changed in the text of one object, so that the rest stays with its managers. A field cannot be removed
 * this way: it belongs to its field manager.
 */
export async function applyEdit(
  client: Client,
  before: string,
  after: string,
  options: ApplyYamlOptions,
): Promise<readonly Applied[]> {
  const [[old], [next, more]] = [objectsIn(before), objectsIn(after)];
  if (!old || !next || more) throw new Error("the text has to stay one object");
  const { apiVersion, kind, metadata: { name, namespace } = {} } = old;
  const isSame = next.apiVersion === apiVersion && next.kind === kind && next.metadata?.name === name;
  if (!isSame || next.metadata?.namespace !== namespace)
    throw new Error("the object itself cannot be renamed");
  const changed = changedPart(old, next, "");
  if (changed === undefined) return [];
  const { metadata, ...rest } = changed as KubeObject;
  const applied = { ...rest, apiVersion, kind, metadata: { ...metadata, name, namespace } } as KubeObject;
  return [await applyOne(client, applied, options)];
}

/** Objects by field; everything else whole, lists included. Undefined when nothing differs. */
function changedPart(before: unknown, after: unknown, path: string): unknown {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  if (!isObject(before) || !isObject(after)) return after;
  const removed = Object.keys(before).find((field) => !(field in after));
  if (removed !== undefined)
    throw new Error(`${path}${removed} cannot be removed here: it belongs to the manager that set it`);
  const parts = Object.entries(after).map(
    ([field, value]) => [field, changedPart(before[field], value, `${path}${field}.`)] as const,
  );
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}

function objectsIn(text: string): readonly KubeObject[] {
  if (text.length > longest) throw new Error("the text is longer than 1 MiB");
  const documents = [...parseAllDocuments(text)];
  const objects = documents.flatMap((document, index): KubeObject[] => {
    const [error] = document.errors;
    if (error) throw new Error(`document ${index + 1}: ${error.message}`);
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (value === null || value === undefined) return [];
    if (!isObject(value) || typeof value["apiVersion"] !== "string" || typeof value["kind"] !== "string")
      throw new Error(`document ${index + 1}: apiVersion and kind are missing`);
    return [value as KubeObject];
  });
  if (objects.length === 0) throw new Error("there is no object in the text");
  return objects;
}

async function applyOne(client: Client, object: KubeObject, options: ApplyYamlOptions): Promise<Applied> {
  const { apiVersion = "", kind = "" } = object;
  const resource = await client.resource({ apiVersion, kind });
  const { status: _, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { name, namespace, ...others } = Object.fromEntries(
    Object.entries(object.metadata ?? {}).filter(([field]) => !serverFields.includes(field)),
  );
  if (typeof name !== "string") throw new Error(`${kind}: metadata.name is missing`);
  const place = resource.scope === "Namespaced" ? (namespace ?? options.namespace ?? "default") : undefined;
  const metadata = { ...others, name, namespace: place };
  const { metadata: written } = await client.apply(
    resource,
    { ...rest, metadata },
    { fieldManager: "kubewright-dashboard", force: options.force },
  );
  return { kind, name: written?.name ?? "", namespace: written?.namespace };
}
