// Objects with known fields, and maps with string keys.
import { type JSONSchemaProps, setOwn, type ValidationRule } from "@kubewright/api";
import type { z } from "zod";
import { annotationsOf } from "./checks.js";
import { convertValues } from "./literal.js";
import { fieldPath, type SchemaDraft, type Walk } from "./walk.js";

/** Converts `z.object()`; a loose one keeps fields it does not know. */
export function convertObject(def: z.core.$ZodObjectDef, path: string, walk: Walk): JSONSchemaProps {
  const draft: SchemaDraft = { type: "object" };
  const properties: Record<string, JSONSchemaProps> = {};
  const required: string[] = [];
  const rules: ValidationRule[] = [];
  for (const field of Object.keys(def.shape)) {
    const schema = def.shape[field];
    if (schema === undefined) continue;
    setOwn(properties, field, walk.convert(schema, fieldPath(path, field)));
    const optional = schema._zod.optin !== undefined;
    if (!optional) required.push(field);
    rules.push(...parentRulesOf(schema, field));
  }
  if (Object.keys(properties).length > 0) draft.properties = properties;
  if (required.length > 0) draft.required = required;
  if (rules.length > 0) draft["x-kubernetes-validations"] = rules;
  return applyCatchall(def.catchall, draft, path, walk);
}

function applyCatchall(
  catchall: z.core.$ZodType | undefined,
  draft: SchemaDraft,
  path: string,
  walk: Walk,
): JSONSchemaProps {
  const type = catchall?._zod.def.type;
  if (type === "unknown" || type === "any") draft["x-kubernetes-preserve-unknown-fields"] = true;
  else if (type !== undefined && type !== "never") {
    return walk.refuse(
      path,
      "known fields beside a catchall cannot be said in a structural schema; put the others into a z.record() field",
    );
  }
  return draft;
}

/** Rules that annotations on a field, or on what it wraps, put on the object around it. */
function parentRulesOf(schema: z.core.$ZodType, field: string): readonly ValidationRule[] {
  const rules: ValidationRule[] = [];
  const optional = schema._zod.optin === "optional";
  let current: z.core.$ZodType | undefined = schema;
  while (current !== undefined) {
    for (const annotation of annotationsOf(current))
      rules.push(...(annotation.parentRules?.(field, optional) ?? []));
    const def: z.core.$ZodTypeDef & { readonly innerType?: z.core.$ZodType } = current._zod.def;
    current = def.innerType;
  }
  return rules;
}

/** Converts `z.record()`: a map, or an object with those fields when its keys are enumerated. */
export function convertRecord(def: z.core.$ZodRecordDef, path: string, walk: Walk): JSONSchemaProps {
  const key = def.keyType._zod.def;
  const value = walk.convert(def.valueType, `${path}[*]`);
  if (key.type === "string" && (key.checks ?? []).length === 0 && !("format" in key)) {
    return { type: "object", additionalProperties: value };
  }
  const names = def.keyType._zod.values;
  if (names === undefined) {
    return walk.refuse(
      path,
      "the keys of a map are plain strings in a structural schema; use z.record(z.string(), …) and a rule()",
    );
  }
  const keys = convertValues([...names], path, walk).enum ?? [];
  const properties: Record<string, JSONSchemaProps> = {};
  for (const name of keys) setOwn(properties, String(name), value);
  const optional = def.partial === true || def.valueType._zod.optin !== undefined;
  return { type: "object", properties, ...(optional ? {} : { required: Object.keys(properties) }) };
}
