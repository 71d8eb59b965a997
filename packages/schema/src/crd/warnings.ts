// Things in a definition that are ignored rather than refused.
import { type CustomResourceDefinition, goQuote, type JSONSchemaProps } from "@kubewright/api";
import { Pace } from "@kubewright/api/steps";
import { isKnownFormat } from "../structural/formats/formats.js";
import { hubForm } from "./hub-form.js";
import { schemasInside, schemasPerStep } from "./schema-walk.js";

/** Texts for `Warning` headers: formats that nobody checks, as far as they are new. */
export const definitionWarnings = (crd: CustomResourceDefinition, old?: CustomResourceDefinition): string[] =>
  definitionWarningSteps(crd, old);

/** The same, pausing now and then. */
export function definitionWarningSteps(
  crd: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): string[] {
  const known = new Set(old === undefined ? [] : unrecognizedFormats(old));
  const found = unrecognizedFormats(crd);
  return found
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function unrecognizedFormats(crd: CustomResourceDefinition): string[] {
  const { common, versions } = hubForm(crd.spec);
  const found: string[] = [];
  const pace = new Pace(schemasPerStep);
  for (const { schema } of [common, ...versions])
    if (schema?.openAPIV3Schema !== undefined) findFormats(schema.openAPIV3Schema, found, pace);
  return found;
}

const judged: readonly (string | undefined)[] = ["string", "integer", "number"];

function findFormats(schema: JSONSchemaProps, found: string[], pace: Pace): void {
  const { type, format } = schema;
  if (format && judged.includes(type) && !isKnownFormat(type, format)) found.push(format);
  for (const inner of schemasInside(schema)) findFormats(inner, found, pace);
}
