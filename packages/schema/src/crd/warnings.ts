// Warnings about keywords of a CRD that are ignored rather than refused.
import { type CustomResourceDefinition, goQuote, type JSONSchemaProps } from "@kubewright/api";
import { isKnownFormat } from "../structural/formats/formats.js";
import { hubForm } from "./hub-form.js";
import { schemasInside } from "./schema-walk.js";

/** Texts for `Warning` headers: unrecognized formats that the old CRD does not have. */
export function crdWarnings(crd: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  const known = new Set(old === undefined ? [] : unrecognizedFormats(old));
  const found = unrecognizedFormats(crd);
  return found
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function unrecognizedFormats(crd: CustomResourceDefinition): string[] {
  const { common, versions } = hubForm(crd.spec);
  const found: string[] = [];
  for (const { schema } of [common, ...versions])
    if (schema?.openAPIV3Schema !== undefined) findFormats(schema.openAPIV3Schema, found);
  return found;
}

/** Formats are for strings and numbers. */
const isFormatOf = (type: string | undefined, format: string): boolean =>
  ["string", "integer", "number"].includes(type || "string") && isKnownFormat(type || "string", format);

function findFormats(schema: JSONSchemaProps, found: string[]): void {
  const { type, format } = schema;
  if (format && !isFormatOf(type, format)) found.push(format);
  for (const inner of schemasInside(schema)) findFormats(inner, found);
}
