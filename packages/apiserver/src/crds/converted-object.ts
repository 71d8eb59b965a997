// One object as a conversion webhook returned it. The webhook may change labels, annotations and everything beside metadata; all other
// metadata is kept as it was.

import {
  aggregateErrors,
  cloneJson,
  goType,
  isObject,
  parseApiVersion,
  validateAnnotations,
  validateLabels,
} from "@kubewright/api";
import { type DraftObject, unknownError } from "@kubewright/kinds";
import { adoptObject } from "@kubewright/machinery";

type Json = Readonly<Record<string, unknown>>;

/** The converted object, with all metadata that a webhook may not change taken from the original. */
export function restored(original: DraftObject, answer: unknown, apiVersion: string): DraftObject {
  if (!isJson(answer) || !answer["kind"])
    throw conversionFailure(original, "failed: Object 'Kind' is missing");
  checkIdentity(original, answer, apiVersion);
  const converted = adopted(original, answer);
  try {
    const { metadata } = answer;
    if (metadata === undefined) throw new Error("missing metadata in converted object");
    if (!isJson(metadata))
      throw new Error(`invalid metadata of type ${goType(metadata)} in converted object`);
    const maps = convertedMaps(metadata, original);
    const { labels: _labels, annotations: _annotations, ...kept } = cloneJson(original.metadata);
    converted.metadata = { ...kept, ...maps };
    return converted;
  } catch (error) {
    throw conversionFailure(
      original,
      `returned invalid metadata: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function adopted(original: DraftObject, answer: Json): DraftObject {
  try {
    return adoptObject(answer) as unknown as DraftObject;
  } catch (error) {
    throw conversionFailure(original, `failed: ${error instanceof Error ? error.message : error}`);
  }
}

function checkIdentity(original: DraftObject, answer: Json, apiVersion: string): void {
  const { apiVersion: received = "", kind, metadata } = answer;
  if (received !== apiVersion)
    throw conversionFailure(
      original,
      `returned invalid object at index 0: invalid groupVersion (expected ${apiVersion}, received ${received})`,
    );
  if (kind !== original.kind)
    throw conversionFailure(
      original,
      `returned invalid object at index 0: invalid kind (expected ${original.kind}, received ${kind})`,
    );
  for (const [field, label] of identity) {
    const before = original.metadata[field] ?? "";
    const after = (isJson(metadata) ? metadata[field] : undefined) ?? "";
    if (before !== after)
      throw conversionFailure(
        original,
        `returned invalid object: must have the same ${label}: ${before} != ${after}`,
      );
  }
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

/** Labels and annotations as the webhook wants them. */
function convertedMaps(metadata: Json, original: DraftObject): Record<string, Record<string, string>> {
  const maps: Record<string, Record<string, string>> = {};
  for (const field of ["labels", "annotations"] as const) {
    const value = metadata[field];
    if (value === undefined || value === null) continue;
    if (!isObject(value))
      throw new Error(`invalid metadata.${field} of type ${goType(value)} in converted object`);
    for (const [key, text] of Object.entries(value)) {
      if (typeof text !== "string")
        throw new Error(
          `metadata.${field}[${key}] must be a string, but is ${goType(text)} in converted object`,
        );
    }
    const map = Object.fromEntries(Object.entries(value)) as Record<string, string>;
    checkMap(field, map, original.metadata[field] ?? {});
    maps[field] = map;
  }
  return maps;
}

/** Maps the webhook changed must be valid; those it only passed on need not be. */
function checkMap(
  field: "labels" | "annotations",
  map: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): void {
  const keys = Object.keys(map);
  const isSame = keys.length === Object.keys(before).length && keys.every((key) => map[key] === before[key]);
  if (isSame) return;
  const errors =
    field === "labels"
      ? validateLabels(map, "metadata.labels")
      : validateAnnotations(map, "metadata.annotation");
  if (errors.length > 0)
    throw new Error(aggregateErrors(errors.map((error) => `${error.field}: ${error.message}`)));
}

export const isJson = (value: unknown): value is Json => isObject(value);

/** `example.com/v1, Kind=Widget` */
export function gvkText({
  apiVersion,
  kind,
}: {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
}): string {
  const { group = "", version = "" } = parseApiVersion(String(apiVersion ?? "")) ?? {};
  return `${group}/${version}, Kind=${kind ?? ""}`;
}

/** The failure of a conversion of this object. */
export const conversionFailure = (object: DraftObject, what: string) =>
  unknownError(`conversion webhook for ${gvkText(object)} ${what}`);
