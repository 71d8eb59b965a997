// A definition without the texts inside the built-in types that its module refers to.
import type { CustomResourceDefinition } from "@kubewright/api";
import type { DefinitionSource } from "../definition-source.js";
import { isSchema, type Schema } from "../schema-shape.js";

/** The text about a field itself stays. */
export function withoutBuiltInTexts(
  crd: CustomResourceDefinition,
  builtIns: DefinitionSource["builtIns"],
): CustomResourceDefinition {
  const paths = new Set(builtIns.map(({ path }) => path.join(".")));
  const versions = crd.spec.versions.map((version) => {
    const schema = version.schema?.openAPIV3Schema;
    return schema
      ? { ...version, schema: { openAPIV3Schema: mapped(schema, version.name, paths, false) } }
      : version;
  });
  return { ...crd, spec: { ...crd.spec, versions } };
}

function mapped(schema: Schema, path: string, paths: ReadonlySet<string>, isInside: boolean): Schema {
  const inside = isInside || paths.has(path);
  const { description, properties, items, additionalProperties, ...rest } = schema;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [
    name,
    mapped(field, `${path}.${name}`, paths, inside),
  ]);
  const both = {
    ...(isSchema(items) ? { items: mapped(items, `${path}.[]`, paths, inside) } : items && { items }),
    ...(isSchema(additionalProperties)
      ? { additionalProperties: mapped(additionalProperties, `${path}.*`, paths, inside) }
      : additionalProperties !== undefined && { additionalProperties }),
  };
  return {
    ...(description !== undefined && !isInside ? { description } : {}),
    ...(properties ? { properties: Object.fromEntries(fields) } : {}),
    ...both,
    ...rest,
  };
}
