// A discriminated union as Kubernetes writes one: an object with the fields of all variants, and rules that say which of them
// go with which value of the discriminator.
import type { JSONSchemaProps, ValidationRule } from "@kubewright/api";
import type { z } from "zod";
import { celFieldName, celLiteral, ruleFieldPath } from "../cel-source.js";
import { fieldPath, type SchemaDraft, type Walk } from "./walk.js";

interface Variant {
  readonly values: readonly unknown[];
  readonly schema: JSONSchemaProps;
}

/** Converts the options of `z.discriminatedUnion()`. */
export function convertDiscriminatedUnion(
  discriminator: string,
  options: readonly z.core.$ZodType[],
  path: string,
  walk: Walk,
): JSONSchemaProps {
  const variants = options.map((option) => convertVariant(discriminator, option, path, walk));
  const complete = variants.filter((variant) => variant !== undefined);
  if (complete.length < variants.length) return {};
  return mergeVariants(discriminator, complete, path, walk);
}

function convertVariant(
  discriminator: string,
  option: z.core.$ZodType,
  path: string,
  walk: Walk,
): Variant | undefined {
  const schema = walk.convert(option, path);
  const tag = schema.properties?.[discriminator];
  if (tag?.enum !== undefined) return { values: tag.enum, schema };
  if (Object.keys(schema).length > 0) {
    walk.refuse(
      path,
      `each option of the union must be an object whose field ${discriminator} is a literal or an enumeration`,
    );
  }
  return undefined;
}

function mergeVariants(
  discriminator: string,
  variants: readonly Variant[],
  path: string,
  walk: Walk,
): JSONSchemaProps {
  const properties: Record<string, JSONSchemaProps> = {};
  const rules: ValidationRule[] = [];
  for (const field of new Set(variants.flatMap((variant) => Object.keys(variant.schema.properties ?? {})))) {
    if (field === discriminator) properties[field] = mergeTags(discriminator, variants);
    else {
      properties[field] = mergeField(field, variants, fieldPath(path, field), walk);
      rules.push(...fieldRules(discriminator, field, variants));
    }
  }
  rules.push(...variants.flatMap((variant) => guardedRules(discriminator, variant)));
  const draft: SchemaDraft = { type: "object", properties };
  const required = Object.keys(properties).filter((field) =>
    variants.every((variant) => requires(variant, field)),
  );
  if (required.length > 0) draft.required = required;
  if (rules.length > 0) draft["x-kubernetes-validations"] = rules;
  return draft;
}

function mergeTags(discriminator: string, variants: readonly Variant[]): JSONSchemaProps {
  const tags = variants.map((variant) => variant.schema.properties?.[discriminator] ?? {});
  const withDefault = tags.find((tag) => tag.default !== undefined);
  const description = tags.find((tag) => tag.description !== undefined)?.description;
  return {
    ...tags[0],
    ...(description === undefined ? {} : { description }),
    ...(withDefault === undefined ? {} : { default: withDefault.default }),
    enum: [...new Set(variants.flatMap((variant) => variant.values))].filter(isScalar),
  };
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function mergeField(field: string, variants: readonly Variant[], path: string, walk: Walk): JSONSchemaProps {
  const schemas = variants
    .map((variant) => variant.schema.properties?.[field])
    .filter((schema) => schema !== undefined);
  const first = schemas[0] ?? {};
  const text = JSON.stringify(first);
  if (schemas.some((schema) => JSON.stringify(schema) !== text)) {
    return walk.refuse(
      path,
      "the field differs between the options of the union; give it one schema or another name in each",
    );
  }
  if (first.default !== undefined && schemas.length < variants.length) {
    return walk.refuse(
      path,
      "a default inside one option of a union would be filled in for all of them; leave it out, or give every option the field",
    );
  }
  return first;
}

function requires(variant: Variant, field: string): boolean {
  return variant.schema.required?.includes(field) === true;
}

function fieldRules(
  discriminator: string,
  field: string,
  variants: readonly Variant[],
): readonly ValidationRule[] {
  const having = variants.filter((variant) => variant.schema.properties?.[field] !== undefined);
  const requiring = variants.filter((variant) => requires(variant, field));
  const has = `has(self.${celFieldName(field)})`;
  const at = { fieldPath: ruleFieldPath(field) };
  const rules: ValidationRule[] = [];
  if (requiring.length > 0 && requiring.length < variants.length) {
    rules.push({
      rule: `!(${tagIsOneOf(discriminator, requiring)}) || ${has}`,
      message: `${field} is required when ${describeTags(discriminator, requiring)}`,
      reason: "FieldValueRequired",
      ...at,
    });
  }
  if (having.length < variants.length) {
    rules.push({
      rule: `${tagIsOneOf(discriminator, having)} || !${has}`,
      message: `${field} may only be set when ${describeTags(discriminator, having)}`,
      reason: "FieldValueForbidden",
      ...at,
    });
  }
  return rules;
}

/** The rules of one option, held only when it is the one chosen. */
function guardedRules(discriminator: string, variant: Variant): readonly ValidationRule[] {
  const rules = variant.schema["x-kubernetes-validations"] ?? [];
  return rules.map((rule) => ({
    ...rule,
    rule: `!(${tagIsOneOf(discriminator, [variant])}) || (${rule.rule})`,
  }));
}

function tagIsOneOf(discriminator: string, variants: readonly Variant[]): string {
  const name = `self.${celFieldName(discriminator)}`;
  const values = variants.flatMap((variant) => variant.values).map(celLiteral);
  return values.length === 1 ? `${name} == ${values[0]}` : `${name} in [${values.join(", ")}]`;
}

function describeTags(discriminator: string, variants: readonly Variant[]): string {
  const values = variants.flatMap((variant) => variant.values).map(String);
  return `${discriminator} is ${values.join(" or ")}`;
}
