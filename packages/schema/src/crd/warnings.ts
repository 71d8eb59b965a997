// Things in a definition that are ignored rather than refused.
import { type CustomResourceDefinition, goQuote, type JSONSchemaProps } from "@kubewright/api";
import { isKnownFormat } from "../structural/formats/formats.js";
import { hubForm } from "./hub-form.js";
import { schemasInside } from "./schema-walk.js";

/** Texts for `Warning` headers: formats that nobody checks, as far as they are new. */
export function definitionWarnings(crd: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  const known = new Set(old === undefined ? [] : unrecognizedFormats(old));
  return unrecognizedFormats(crd)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function unrecognizedFormats(crd: CustomResourceDefinition): string[] {
  const { common, versions } = hubForm(crd.spec);
  return [common, ...versions].flatMap(({ schema }) =>
    schema?.openAPIV3Schema === undefined ? [] : formatsIn(schema.openAPIV3Schema),
  );
}

const judged: readonly (string | undefined)[] = ["string", "integer", "number"];

function formatsIn(schema: JSONSchemaProps): string[] {
  const { type, format } = schema;
  const own = format && judged.includes(type) && !isKnownFormat(type, format) ? [format] : [];
  return [...own, ...schemasInside(schema).flatMap(formatsIn)];
}
