// Unions: most have no structural form. Those that do are nullable values, enumerations, int-or-string, alternatives of one
// scalar type, and objects distinguished by a discriminator.
import type { JSONSchemaProps } from "@kubewright/api";
import type { z } from "zod";
import { convertDiscriminatedUnion } from "./discriminated-union.js";
import { convertValues } from "./literal.js";
import type { SchemaDraft, Walk } from "./walk.js";

/** Converts `z.union()`, `z.xor()` and `z.discriminatedUnion()`. */
export function convertUnion(def: z.core.$ZodUnionDef, path: string, walk: Walk): JSONSchemaProps {
  const options = def.options.filter((option) => !isNull(option));
  const schema = convertOptions(def, options, path, walk);
  return options.length < def.options.length ? nullable(schema) : schema;
}

/** The schema that also accepts null; an enumeration must then list it. */
export function nullable(schema: JSONSchemaProps): JSONSchemaProps {
  const values = schema.enum;
  if (values === undefined || values.includes(null)) return { ...schema, nullable: true };
  return { ...schema, enum: [...values, null], nullable: true };
}

function isNull(schema: z.core.$ZodType): boolean {
  const values = schema._zod.values;
  return schema._zod.def.type === "null" || (values?.size === 1 && values.has(null));
}

function convertOptions(
  def: z.core.$ZodUnionDef,
  options: readonly z.core.$ZodType[],
  path: string,
  walk: Walk,
): JSONSchemaProps {
  const [only] = options;
  if (only === undefined)
    return walk.refuse(path, "a value that can only be null says nothing; leave the field out");
  if (options.length === 1) return walk.convert(only, path);
  if (isDiscriminated(def)) return convertDiscriminatedUnion(def.discriminator, options, path, walk);
  const values = options.map((option) => option._zod.values);
  if (values.every((set) => set !== undefined)) {
    return convertValues([...new Set(values.flatMap((set) => [...set]))], path, walk);
  }
  const schemas = options.map((option) => walk.convert(option, path));
  return (
    intOrString(schemas) ?? alternatives(schemas, def.inclusive !== false) ?? refuseUnion(schemas, path, walk)
  );
}

function isDiscriminated(def: z.core.$ZodUnionDef): def is z.core.$ZodDiscriminatedUnionDef {
  return "discriminator" in def && typeof def.discriminator === "string";
}

/** An integer or a string: the bounds of each apply to values of its type only, so they can stand side by side. */
function intOrString(schemas: readonly JSONSchemaProps[]): JSONSchemaProps | undefined {
  const [first, second] = schemas;
  if (schemas.length !== 2 || first === undefined || second === undefined) return undefined;
  const types = new Set([first.type, second.type]);
  if (!types.has("integer") || !types.has("string")) return undefined;
  if ([first, second].some((schema) => schema.enum ?? schema.allOf ?? schema.format ?? schema.nullable))
    return undefined;
  const { type: _first, ...left } = first;
  const { type: _second, ...right } = second;
  return { ...left, ...right, "x-kubernetes-int-or-string": true };
}

const valueKeywords = new Set([
  ..."type minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern enum format allOf".split(
    " ",
  ),
]);

/** Alternatives of one scalar type: the type once, and what each demands of the value. */
function alternatives(schemas: readonly JSONSchemaProps[], inclusive: boolean): JSONSchemaProps | undefined {
  const types = new Set(schemas.map((schema) => schema.type));
  const [type] = types;
  if (types.size !== 1 || type === undefined || type === "object" || type === "array") return undefined;
  if (schemas.some((schema) => Object.keys(schema).some((key) => !valueKeywords.has(key)))) return undefined;
  const branches = schemas.map(({ type: _type, ...rest }) => rest);
  const draft: SchemaDraft = { type };
  draft[inclusive ? "anyOf" : "oneOf"] = branches;
  return draft;
}

function refuseUnion(schemas: readonly JSONSchemaProps[], path: string, walk: Walk): JSONSchemaProps {
  if (schemas.some((schema) => Object.keys(schema).length === 0)) return {};
  const objects = schemas.every((schema) => schema.type === "object");
  const instead = objects
    ? "use z.discriminatedUnion(), or one z.object() with optional fields and .check(exactlyOneOf(…))"
    : "use kube.intOrString() for an integer or a string, or z.unknown() for anything";
  return walk.refuse(path, `a field has one type in a structural schema; ${instead}`);
}
