// `kubectl apply` keeps the whole object in an annotation, and all annotations together may hold 262144 bytes. Descriptions are
// what makes a CustomResourceDefinition large and what it can do without.
import { type CustomResourceDefinitionVersion, isObject, type JSONSchemaProps } from "@kubewright/api";

/** Leaves room for other annotations, and for a definition to be read by people. */
const byteBudget = 196_608;

/** The lengths to which descriptions are cut, tried one after the other. */
const lengths = [512, 256, 128, 64, 0];

/** The versions with descriptions shortened as far as it takes for all of them to fit together. */
export function trimDescriptions(
  versions: readonly CustomResourceDefinitionVersion[],
): readonly CustomResourceDefinitionVersion[] {
  let trimmed = versions;
  for (const length of lengths) {
    if (Buffer.byteLength(JSON.stringify(trimmed)) <= byteBudget) break;
    trimmed = versions.map((version) => trimVersion(version, length));
  }
  return trimmed;
}

function trimVersion(
  version: CustomResourceDefinitionVersion,
  length: number,
): CustomResourceDefinitionVersion {
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) return version;
  return { ...version, schema: { openAPIV3Schema: withDescriptions(schema, length) } };
}

function withDescriptions(schema: JSONSchemaProps, length: number): JSONSchemaProps {
  const { description, ...rest } = schema;
  return {
    ...(description === undefined || length === 0 ? {} : { description: shorten(description, length) }),
    ...rest,
    ...(schema.properties === undefined ? {} : { properties: mapValues(schema.properties, length) }),
    ...(isSchema(schema.items) ? { items: withDescriptions(schema.items, length) } : {}),
    ...(isSchema(schema.additionalProperties)
      ? { additionalProperties: withDescriptions(schema.additionalProperties, length) }
      : {}),
  };
}

function mapValues(
  properties: Readonly<Record<string, JSONSchemaProps>>,
  length: number,
): Readonly<Record<string, JSONSchemaProps>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, withDescriptions(schema, length)]),
  );
}

function isSchema(value: unknown): value is JSONSchemaProps {
  return isObject(value);
}

/** Ends at a sentence where there is one in the second half, else at a word. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "");
  const sentence = cut.lastIndexOf(". ");
  if (sentence >= length / 2) return cut.slice(0, sentence + 1);
  const word = cut.lastIndexOf(" ");
  return `${word >= length / 2 ? cut.slice(0, word) : cut}…`;
}
