// Descriptions of built-in types and their fields, read from the generated table line by line.
import { descriptionTable, wordTable } from "../generated/description-table.js";
import { lazy } from "../type-info/lazy.js";
import type { OpenApiSchema } from "../type-info/openapi-schema.js";

interface Described {
  readonly text: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

const words = lazy(() => wordTable.split("\n"));
const types = lazy(
  () =>
    new Map(
      descriptionTable.split("\n").map((line) => {
        const [name = "", text = "", fields = ""] = line.split("\t");
        return [name, lazy(() => decode(text, fields))];
      }),
    ),
);

function decode(text: string, fields: string): Described {
  const pairs = fields === "" ? [] : fields.split(",").map((pair) => pair.split(":"));
  return {
    text: text === "" ? undefined : words()[Number(text)],
    fields: new Map(pairs.map(([field = "", number]) => [field, words()[Number(number)] ?? ""])),
  };
}

/** The description of a type by the name of its schema, such as `io.k8s.api.apps.v1.DeploymentSpec`. */
export function typeDescription(schemaName: string): string | undefined {
  return types().get(schemaName)?.().text;
}

/** The description of a field of a type. */
export function fieldDescription(schemaName: string, field: string): string | undefined {
  return types().get(schemaName)?.().fields.get(field);
}

/** The schema with its descriptions. */
export function describedSchema(schemaName: string, schema: OpenApiSchema): OpenApiSchema {
  const described = types().get(schemaName)?.();
  if (described === undefined) return schema;
  const { text, fields } = described;
  const properties = Object.entries(schema.properties ?? {}).map(
    ([field, place]): [string, OpenApiSchema] => {
      const description = fields.get(field);
      return [field, description === undefined ? place : { description, ...place }];
    },
  );
  return {
    ...(text === undefined ? {} : { description: text }),
    ...schema,
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
  };
}

/** The descriptions of the fields that objects of every kind have, and lists of them. */
export function objectDescriptions() {
  const of = (type: string, field: string) => fieldDescription(`io.k8s.api.core.v1.${type}`, field) ?? "";
  return {
    apiVersion: of("ConfigMap", "apiVersion"),
    kind: of("ConfigMap", "kind"),
    metadata: of("ConfigMap", "metadata"),
    items: of("ConfigMapList", "items"),
    listMetadata: of("ConfigMapList", "metadata"),
  };
}

/** Changes when any description does: for addresses that clients cache by. */
export const descriptionsVersion = lazy(() => `${wordTable.length}.${checksum(wordTable)}`);

function checksum(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1)
    sum = (Math.imul(sum, 31) + text.charCodeAt(index)) | 0;
  return sum >>> 0;
}
