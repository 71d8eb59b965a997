// The selection of a list, a watch or the deletion of a collection: namespace, label selector, field selector.

import { FieldMatcher, LabelMatcher, validateDns1123Label, validatePathSegmentName } from "@kubewright/api";
import { badRequest, type StoredObject } from "@kubewright/kinds";

import type { RequestContext } from "../registry/request-context.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { keyOf } from "../registry/resource-kind.js";
import { checkFields, fieldOf } from "./selectable-fields.js";

export interface Selection {
  /** Keys of the namespace, or of all. */
  readonly prefix: string;
  /** The only key there can be, where the selectors name one object. */
  readonly key: string | undefined;
  /** True for every object that is wanted; undefined when all are. */
  readonly matches: ((object: StoredObject) => boolean) | undefined;
}

/** The selectors of a request; undefined where they select everything. */
export interface Selectors {
  readonly labels: LabelMatcher | undefined;
  readonly fields: FieldMatcher | undefined;
}

/** Reads `labelSelector` and `fieldSelector`; throws 400 for what cannot be parsed. */
export function parseSelectors(query: URLSearchParams): Selectors {
  return {
    labels: parse(query.get("labelSelector"), (text) => LabelMatcher.parse(text)),
    fields: parse(query.get("fieldSelector"), (text) => FieldMatcher.parse(text)),
  };
}

function parse<T extends { readonly requirements: readonly unknown[] }>(
  text: string | null,
  parser: (text: string) => T,
): T | undefined {
  if (text === null || text === "") return undefined;
  try {
    const selector = parser(text);
    return selector.requirements.length === 0 ? undefined : selector;
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}

/** The selectors of a request; throws 400 for selectors that cannot be parsed or fields that are not selectable. */
export const selectionOf = (
  { query }: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name?: string,
): Selection => selectionBy(parseSelectors(query), kind, namespace, name);

/** The same for selectors that are parsed; `name` is that of the path. */
export function selectionBy(
  { labels, fields }: Selectors,
  kind: ResourceKind,
  namespace: string | undefined,
  name?: string,
): Selection {
  if (fields) checkFields(fields, kind);
  if (fields && name !== undefined && fields.exactValue("metadata.name") !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  const space = namespace || namespaceIn(fields);
  const byName = name === undefined ? undefined : (object: StoredObject) => object.metadata.name === name;
  const checks = [labels && byLabels(labels), fields && byFields(fields, kind), byName].filter(
    (check) => check !== undefined,
  );
  return {
    prefix: kind.scope === "Namespaced" && space ? `${space}/` : "",
    key: onlyKey(kind, space, name ?? fields?.exactValue("metadata.name")),
    matches: checks.length === 0 ? undefined : (object) => checks.every((check) => check(object)),
  };
}

/** The namespace of a field selector, which restricts a request as the namespace of a path does. */
function namespaceIn(fields: FieldMatcher | undefined): string | undefined {
  const namespace = fields?.exactValue("metadata.namespace");
  return namespace && validateDns1123Label(namespace).length === 0 ? namespace : undefined;
}

function onlyKey(
  kind: ResourceKind,
  namespace: string | undefined,
  name: string | undefined,
): string | undefined {
  if (!name || validatePathSegmentName(name).length > 0) return undefined;
  return kind.scope === "Cluster" || namespace ? keyOf(kind, namespace, name) : undefined;
}

const byLabels =
  (selector: LabelMatcher) =>
  (object: StoredObject): boolean =>
    selector.matches(object.metadata.labels ?? {});

const byFields =
  (selector: FieldMatcher, kind: ResourceKind) =>
  (object: StoredObject): boolean =>
    selector.matchesBy((field) => fieldOf(object, field, kind));
