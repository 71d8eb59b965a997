// The type and the validation of the metadata of embedded objects.
import {
  type FieldError,
  fieldError,
  ownValue,
  validateAnnotations,
  validateDns1123Label,
  validateLabels,
  validatePathSegmentName,
  validateQualifiedName,
} from "@kubewright/api";
import { isObject, type MutableJson, type MutableObject } from "../json-value.js";
import type { StructShape } from "./go-shape.js";

const ownerReference: StructShape = {
  name: "OwnerReference",
  fields: {
    apiVersion: "string",
    blockOwnerDeletion: "bool",
    controller: "bool",
    kind: "string",
    name: "string",
    uid: "string",
  },
  always: ["apiVersion", "kind", "name", "uid"],
};

const managedFieldsEntry: StructShape = {
  name: "ManagedFieldsEntry",
  fields: {
    apiVersion: "string",
    fieldsType: "string",
    fieldsV1: "any",
    manager: "string",
    operation: "string",
    subresource: "string",
    time: "time",
  },
};

/** The fields of `metadata`. */
export const objectMetaShape: StructShape = {
  name: "ObjectMeta",
  fields: {
    annotations: { map: "string" },
    creationTimestamp: "time",
    deletionGracePeriodSeconds: "int64",
    deletionTimestamp: "time",
    finalizers: { list: "string" },
    generateName: "string",
    generation: "int64",
    labels: { map: "string" },
    managedFields: { list: managedFieldsEntry },
    name: "string",
    namespace: "string",
    ownerReferences: { list: ownerReference },
    resourceVersion: "string",
    selfLink: "string",
    uid: "string",
  },
};

/** The errors of metadata that has the right types. An embedded object needs no name. */
export function objectMetaErrors(metadata: MutableObject, path: string): FieldError[] {
  const text = (field: string): string => stringOf(ownValue(metadata, field));
  const named = (field: string, prefix: boolean): FieldError[] =>
    validatePathSegmentName(text(field), { prefix }).map((detail) =>
      fieldError.invalid(`${path}.${field}`, text(field), detail),
    );
  const namespace = text("namespace");
  const finalizers = ownValue(metadata, "finalizers");
  return [
    ...(text("generateName") === "" ? [] : named("generateName", true)),
    ...named("name", false),
    ...(namespace === "" ? [] : validateDns1123Label(namespace)).map((detail) =>
      fieldError.invalid(`${path}.namespace`, namespace, detail),
    ),
    ...generationErrors(ownValue(metadata, "generation"), path),
    ...validateLabels(stringMap(ownValue(metadata, "labels")), `${path}.labels`),
    ...validateAnnotations(stringMap(ownValue(metadata, "annotations")), `${path}.annotations`),
    ...(Array.isArray(finalizers) ? finalizers : []).flatMap((finalizer) =>
      validateQualifiedName(stringOf(finalizer)).map((detail) =>
        fieldError.invalid(`${path}.finalizers`, finalizer, detail),
      ),
    ),
  ];
}

function generationErrors(generation: MutableJson | undefined, path: string): FieldError[] {
  if (typeof generation !== "number" || generation >= 0) return [];
  return [fieldError.invalid(`${path}.generation`, generation, "must be greater than or equal to 0")];
}

const stringOf = (value: MutableJson | undefined): string => (typeof value === "string" ? value : "");

function stringMap(value: MutableJson | undefined): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, stringOf(item)]));
}
