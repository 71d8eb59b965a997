// The conversion of zod schemas. It walks zod's definitions rather than `z.toJSONSchema()`, which drops refinements without a
// word and knows neither the paths of an object nor what Kubernetes calls structural.
import type { FieldError, JSONSchemaProps } from "@kubewright/api";
import { z } from "zod";
import type { Annotation } from "../annotation.js";
import { convertArray } from "./array.js";
import { annotationsOf, checksOf, refuseCheck } from "./checks.js";
import { convertIntersection } from "./intersection.js";
import { toJsonValue } from "./json-value.js";
import { convertValues, enumValues } from "./literal.js";
import { convertNumber } from "./number.js";
import { convertObject, convertRecord } from "./object.js";
import { reasonToRefuse } from "./refused-types.js";
import { convertString, convertTemplateLiteral } from "./string.js";
import { convertUnion, nullable } from "./union.js";
import { refusal, type SchemaDraft, type Walk } from "./walk.js";

/** Deeper than any API; beyond it a schema is taken for one that generates itself. */
const maxDepth = 64;

/** The structural schema, and everything that has none. */
export interface Conversion {
  readonly schema: JSONSchemaProps;
  readonly problems: readonly FieldError[];
}

/** Converts a zod schema that stands at `path` of an object. */
export function toStructuralSchema(schema: z.core.$ZodType, path: string): Conversion {
  const problems: FieldError[] = [];
  const open = new Set<z.core.$ZodType>();
  const walk: Walk = {
    convert: (nested, at) => {
      if (open.has(nested) || open.size >= maxDepth) {
        return walk.refuse(
          at,
          "recursive types have no structural schema; use kube.opaque(…) or z.unknown() for the inner part",
        );
      }
      open.add(nested);
      const result = decorate(convertType(nested, at, walk), nested, at, walk);
      open.delete(nested);
      return result;
    },
    refuse: (at, message) => {
      problems.push(refusal(at, message));
      return {};
    },
  };
  return { schema: walk.convert(schema, path), problems };
}

function convertType(type: z.core.$ZodType, path: string, walk: Walk): JSONSchemaProps {
  // Every schema zod makes is one of these; `default` below answers for any other.
  const schema = type as z.core.$ZodTypes;
  const def = schema._zod.def;
  switch (def.type) {
    case "string":
      return convertString(schema as z.core.$ZodString, path, walk);
    case "number":
      return convertNumber(schema as z.core.$ZodNumber, path, walk);
    case "boolean":
      if (def.coerce === true)
        return walk.refuse(path, "the API server does not coerce values; use z.boolean()");
      return withoutChecks({ type: "boolean" }, type, path, walk);
    case "enum":
      return withoutChecks(convertValues(enumValues(def.entries), path, walk), type, path, walk);
    case "literal":
      return withoutChecks(convertValues(def.values, path, walk), type, path, walk);
    case "template_literal":
      return withoutChecks(convertTemplateLiteral(type, path, walk), type, path, walk);
    case "any":
    case "unknown":
      return withoutChecks({ "x-kubernetes-preserve-unknown-fields": true }, type, path, walk);
    case "array":
      return convertArray(type, def.element, path, walk);
    case "object":
      return withoutChecks(convertObject(def, path, walk), type, path, walk);
    case "record":
      return withoutChecks(convertRecord(def, path, walk), type, path, walk);
    case "union":
      return withoutChecks(convertUnion(def, path, walk), type, path, walk);
    case "intersection":
      return withoutChecks(convertIntersection(def, path, walk), type, path, walk);
    case "custom":
      return convertCustom(type, path, walk);
    case "lazy":
      return withoutChecks(walk.convert(def.getter(), path), type, path, walk);
    case "optional":
    case "nonoptional":
    case "readonly":
      return withoutChecks(walk.convert(def.innerType, path), type, path, walk);
    case "nullable":
      return withoutChecks(nullable(walk.convert(def.innerType, path)), type, path, walk);
    case "default":
    case "prefault":
      return withoutChecks(
        withDefault(walk.convert(def.innerType, path), def.defaultValue, path, walk),
        type,
        path,
        walk,
      );
    default:
      return walk.refuse(path, reasonToRefuse(def.type));
  }
}

/** Passes the schema on, and refuses checks that its type has no keyword for. */
function withoutChecks(
  result: JSONSchemaProps,
  schema: z.core.$ZodType,
  path: string,
  walk: Walk,
): JSONSchemaProps {
  for (const check of checksOf(schema)) refuseCheck(check, path, walk);
  return result;
}

function convertCustom(schema: z.core.$ZodType, path: string, walk: Walk): JSONSchemaProps {
  const supplied = annotationsOf(schema).find((annotation) => annotation.schema !== undefined);
  if (supplied?.schema === undefined) {
    return walk.refuse(
      path,
      "z.custom() and z.instanceof() run only in JavaScript; use a zod type, or kube.schema(…) for your own schema",
    );
  }
  try {
    return supplied.schema();
  } catch (error) {
    return walk.refuse(path, error instanceof Error ? error.message : String(error));
  }
}

function withDefault(schema: JSONSchemaProps, value: unknown, path: string, walk: Walk): JSONSchemaProps {
  const json = toJsonValue(value);
  if (json === undefined)
    return walk.refuse(path, "the default is not JSON; write it as it would stand in YAML");
  return { ...schema, default: json };
}

/** Lays annotations and metadata over what the type says. */
function decorate(
  schema: JSONSchemaProps,
  source: z.core.$ZodType,
  path: string,
  walk: Walk,
): JSONSchemaProps {
  const annotations = annotationsOf(source);
  const metadata = z.globalRegistry.get(source);
  if (annotations.length === 0 && metadata === undefined) return schema;
  const draft: SchemaDraft = { ...schema };
  for (const annotation of annotations) applyAnnotation(annotation, draft);
  if (metadata?.title !== undefined) draft.title = metadata.title;
  if (metadata?.description !== undefined) draft.description = metadata.description;
  const example = metadata?.["example"];
  if (example !== undefined) {
    const json = toJsonValue(example);
    if (json === undefined) walk.refuse(path, "the example is not JSON");
    else draft.example = json;
  }
  return draft;
}

function applyAnnotation(annotation: Annotation, draft: SchemaDraft): void {
  Object.assign(draft, annotation.keywords);
  if (annotation.rules === undefined) return;
  draft["x-kubernetes-validations"] = [...(draft["x-kubernetes-validations"] ?? []), ...annotation.rules];
}
