// A CustomResourceDefinition that somebody else wrote, checked field by field before any of it becomes source.
import type { CustomResourceDefinition } from "@kubewright/api";
import { UsageError } from "../command.js";
import {
  finite,
  flag,
  json,
  listOf,
  mapOf,
  type OnUnknown,
  objectOf,
  oneOf,
  type Reader,
  text,
  whole,
} from "./readers.js";
import type { Schema } from "./schema-shape.js";

/** Deeper than any schema that Kubernetes accepts. */
const maxDepth = 100;

/** The definition with the fields that Kubernetes has, and the paths of those that it has not. */
export interface CheckedCrd {
  readonly crd: CustomResourceDefinition;
  readonly unknown: readonly string[];
}

/** Throws a UsageError for what is no definition. */
export function checkedCrd(value: unknown): CheckedCrd {
  const unknown: string[] = [];
  const onUnknown: OnUnknown = (path) => unknown.push(path);
  const { metadata, spec } = objectOf(
    { spec: json },
    { metadata: json, apiVersion: json, kind: json, status: json },
    onUnknown,
  )(value, "CustomResourceDefinition");
  const crd: CustomResourceDefinition = {
    ...metadataOf(metadata),
    spec: specReader(onUnknown)(spec, "spec"),
  };
  if (crd.spec.versions.length === 0) throw new UsageError("spec.versions: at least one is needed");
  return { crd, unknown };
}

/** Only the annotations count, and of those only one. */
function metadataOf(value: unknown): Pick<CustomResourceDefinition, "metadata"> {
  if (value === undefined) return {};
  const { annotations } = objectOf({}, { annotations: mapOf(text) }, () => {})(value, "metadata");
  return annotations ? { metadata: { annotations } } : {};
}

function specReader(onUnknown: OnUnknown): Reader<CustomResourceDefinition["spec"]> {
  const texts = listOf(text);
  return objectOf(
    {
      group: text,
      names: objectOf(
        { kind: text, plural: text },
        { singular: text, listKind: text, shortNames: texts, categories: texts },
        onUnknown,
      ),
      scope: oneOf(["Namespaced", "Cluster"]),
      versions: listOf(versionReader(onUnknown)),
    },
    { conversion: conversionReader(onUnknown), preserveUnknownFields: flag },
    onUnknown,
  );
}

type Version = CustomResourceDefinition["spec"]["versions"][number];

function versionReader(onUnknown: OnUnknown): Reader<Version> {
  return objectOf(
    { name: text, served: flag, storage: flag },
    {
      deprecated: flag,
      deprecationWarning: text,
      schema: objectOf({}, { openAPIV3Schema: schemaReader(onUnknown) }, onUnknown),
      subresources: objectOf(
        {},
        {
          status: objectOf({}, {}, onUnknown),
          scale: objectOf(
            { specReplicasPath: text, statusReplicasPath: text },
            { labelSelectorPath: text },
            onUnknown,
          ),
        },
        onUnknown,
      ),
      selectableFields: listOf(objectOf({ jsonPath: text }, {}, onUnknown)),
      additionalPrinterColumns: listOf(
        objectOf(
          { name: text, type: text, jsonPath: text },
          { format: text, description: text, priority: whole },
          onUnknown,
        ),
      ),
    },
    onUnknown,
  );
}

type Conversion = NonNullable<CustomResourceDefinition["spec"]["conversion"]>;

function conversionReader(onUnknown: OnUnknown): Reader<Conversion> {
  const service = objectOf({ name: text, namespace: text }, { path: text, port: whole }, onUnknown);
  return objectOf(
    { strategy: oneOf(["None", "Webhook"]) },
    {
      webhook: objectOf(
        { conversionReviewVersions: listOf(text) },
        { clientConfig: objectOf({}, { caBundle: text, service, url: text }, onUnknown) },
        onUnknown,
      ),
    },
    onUnknown,
  );
}

/** A schema, with schemas inside it. */
function schemaReader(onUnknown: OnUnknown): Reader<Schema> {
  let depth = 0;
  const schema: Reader<Schema> = (value, path) => {
    if (depth > maxDepth) throw new UsageError(`${path}: the schema is nested too deeply`);
    depth += 1;
    try {
      return read(value, path);
    } finally {
      depth -= 1;
    }
  };
  const schemaOr =
    <T>(other: Reader<T>): Reader<Schema | T> =>
    (value, path) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? schema(value, path)
        : other(value, path);
  const texts = listOf(text);
  const rule = objectOf(
    { rule: text },
    {
      message: text,
      messageExpression: text,
      fieldPath: text,
      optionalOldSelf: flag,
      reason: oneOf([
        "FieldValueDuplicate",
        "FieldValueForbidden",
        "FieldValueInvalid",
        "FieldValueRequired",
      ]),
    },
    onUnknown,
  );
  const keywords = {
    ...{ $ref: text, $schema: text, id: text, type: text, format: text, title: text, description: text },
    ...{ pattern: text, "x-kubernetes-list-type": text, "x-kubernetes-map-type": text },
    ...{ maximum: finite, minimum: finite, multipleOf: finite },
    ...{ maxItems: whole, minItems: whole, maxLength: whole, minLength: whole },
    ...{ maxProperties: whole, minProperties: whole },
    ...{ exclusiveMaximum: flag, exclusiveMinimum: flag, nullable: flag, uniqueItems: flag },
    ...{ "x-kubernetes-embedded-resource": flag, "x-kubernetes-int-or-string": flag },
    ...{ "x-kubernetes-preserve-unknown-fields": flag },
    ...{ required: texts, "x-kubernetes-list-map-keys": texts, "x-kubernetes-validations": listOf(rule) },
    ...{ default: json, example: json, enum: listOf(json) },
    externalDocs: objectOf({}, { description: text, url: text }, onUnknown),
    ...{ allOf: listOf(schema), anyOf: listOf(schema), oneOf: listOf(schema), not: schema },
    ...{ properties: mapOf(schema), patternProperties: mapOf(schema), definitions: mapOf(schema) },
    dependencies: mapOf(schemaOr(texts)),
    ...{ additionalProperties: schemaOr(flag), additionalItems: schemaOr(flag) },
    items: schemaOr(listOf(schema)),
  } as const satisfies { readonly [K in keyof Schema]-?: Reader<unknown> };
  const read = objectOf({}, keywords, onUnknown);
  return schema;
}
