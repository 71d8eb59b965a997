// Which objects of a resource a list or watch is about.
import { FieldMatcher, LabelMatcher } from "@kubewright/api";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { RequestContext } from "../request/context.js";
import { badRequest } from "../request/failures.js";
import type { StoredObject } from "../storage/index.js";

export interface Selection {
  /** Keys of the namespace, or of all. */
  readonly prefix: string;
  /** True for every object that is wanted; undefined when all are. */
  readonly matches: ((object: StoredObject) => boolean) | undefined;
}

/** Reads `labelSelector` and `fieldSelector`; throws 400 for what cannot be parsed or is not selectable. */
export function selectionOf(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name?: string,
): Selection {
  const prefix = kind.scope === "Namespaced" && namespace ? `${namespace}/` : "";
  const labels = parse(context.query.get("labelSelector"), (text) => LabelMatcher.parse(text));
  const fields = parse(context.query.get("fieldSelector"), (text) => FieldMatcher.parse(text));
  if (fields) checkFields(fields, kind);
  const byName = name === undefined ? undefined : (object: StoredObject) => object.metadata.name === name;
  const checks = [labels && byLabels(labels), fields && byFields(fields, kind), byName].filter(
    (check) => check !== undefined,
  );
  if (checks.length === 0) return { prefix, matches: undefined };
  return { prefix, matches: (object) => checks.every((check) => check(object)) };
}

function parse<T>(text: string | null, parser: (text: string) => T): T | undefined {
  if (text === null || text === "") return undefined;
  try {
    return parser(text);
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}

const byLabels =
  (selector: LabelMatcher) =>
  (object: StoredObject): boolean =>
    selector.matches(object.metadata.labels ?? {});

const byFields =
  (selector: FieldMatcher, kind: ResourceKind) =>
  (object: StoredObject): boolean =>
    selector.requirements.every(
      ({ field, operator, value }) => (fieldOf(object, field, kind) === value) === (operator !== "!="),
    );

function checkFields(selector: FieldMatcher, kind: ResourceKind): void {
  const own = kind.strategy.selectableFields ?? [];
  const known = ["metadata.name", "metadata.namespace", ...own];
  for (const { field } of selector.requirements) {
    if (known.includes(field)) continue;
    if (kind.custom || own.length > 0) throw badRequest(`field label not supported: ${field}`);
    throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
  }
}

function fieldOf(object: StoredObject, field: string, kind: ResourceKind): string {
  if (field === "metadata.name") return object.metadata.name;
  if (field === "metadata.namespace") return object.metadata.namespace ?? "";
  if (kind.strategy.selectableField) return kind.strategy.selectableField(object, field);
  return scalarAt(object, field.split("."));
}

/** The value at a path as selectors compare it: scalars as text, everything else as empty. */
function scalarAt(object: unknown, path: readonly string[]): string {
  let value: unknown = object;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return "";
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}
