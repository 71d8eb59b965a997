// Strings: lengths, patterns, and the formats Kubernetes knows.
import type { JSONSchemaProps } from "@kubewright/api";
import type { z } from "zod";
import { checksOf, refuseCheck } from "./checks.js";
import { toRe2Source } from "./pattern.js";
import type { SchemaDraft, Walk } from "./walk.js";

/** zod's formats that Kubernetes checks itself. */
const kubernetesFormats: Readonly<Record<string, string>> = {
  email: "email",
  url: "uri",
  guid: "uuid",
  uuid: "uuid",
  datetime: "date-time",
  date: "date",
  ipv4: "ipv4",
  ipv6: "ipv6",
  mac: "mac",
  cidrv4: "cidr",
  cidrv6: "cidr",
  base64: "byte",
  hostname: "hostname",
  credit_card: "creditcard",
};

const refusedFormats: Readonly<Record<string, string>> = {
  duration: "an ISO 8601 duration is not what Kubernetes calls one; use kube.duration()",
  json_string:
    "a JSON string cannot be checked by a schema; use z.string(), or z.unknown() for the value itself",
  jwt: "a token cannot be checked by a schema; use z.string()",
};

type FormatDef = z.core.$ZodCheckStringFormatDef;

/** Converts `z.string()` and the string formats. */
export function convertString(schema: z.core.$ZodString, path: string, walk: Walk): JSONSchemaProps {
  if (schema._zod.def.coerce === true) {
    return walk.refuse(path, "the API server does not coerce values; use z.string()");
  }
  const draft: SchemaDraft = { type: "string" };
  const patterns: string[] = [];
  for (const check of checksOf(schema)) {
    switch (check.check) {
      case "min_length":
        draft.minLength = Math.max(check.minimum, draft.minLength ?? 0);
        break;
      case "max_length":
        draft.maxLength = Math.min(check.maximum, draft.maxLength ?? Number.POSITIVE_INFINITY);
        break;
      case "length_equals":
        draft.minLength = check.length;
        draft.maxLength = check.length;
        break;
      case "string_format":
        convertFormat(check, draft, patterns, path, walk);
        break;
      default:
        refuseCheck(check, path, walk);
    }
  }
  return withPatterns(draft, patterns);
}

function convertFormat(
  def: FormatDef,
  draft: SchemaDraft,
  patterns: string[],
  path: string,
  walk: Walk,
): void {
  const refused = refusedFormats[def.format];
  if (refused !== undefined) {
    walk.refuse(path, refused);
    return;
  }
  const format = kubernetesFormat(def);
  if (format !== undefined && (draft.format === undefined || draft.format === format)) {
    draft.format = format;
    return;
  }
  if (def.pattern === undefined) {
    walk.refuse(path, `the format ${def.format} is checked by a function; use a pattern or a rule()`);
    return;
  }
  const converted = toRe2Source(def.pattern);
  if ("problem" in converted) walk.refuse(path, `pattern /${def.pattern.source}/: ${converted.problem}`);
  else patterns.push(converted.source);
}

/** The Kubernetes format that means the same; undefined where only zod's pattern does. */
function kubernetesFormat(def: FormatDef): string | undefined {
  if (def.format === "uuid" && "version" in def && typeof def.version === "string") {
    return ["v3", "v4", "v5"].includes(def.version) ? `uuid${def.version.slice(1)}` : undefined;
  }
  if (
    def.format === "datetime" &&
    (("local" in def && def.local) || ("precision" in def && def.precision !== null))
  ) {
    return undefined;
  }
  return Object.hasOwn(kubernetesFormats, def.format) ? kubernetesFormats[def.format] : undefined;
}

function withPatterns(draft: SchemaDraft, patterns: readonly string[]): JSONSchemaProps {
  const [first, ...rest] = new Set(patterns);
  if (first !== undefined) draft.pattern = first;
  if (rest.length > 0) draft.allOf = rest.map((pattern) => ({ pattern }));
  return draft;
}

/** Converts `z.templateLiteral()`, which is a pattern. */
export function convertTemplateLiteral(schema: z.core.$ZodType, path: string, walk: Walk): JSONSchemaProps {
  const pattern = schema._zod.pattern;
  if (pattern === undefined)
    return walk.refuse(path, "this template literal has no pattern; use z.string().regex()");
  const converted = toRe2Source(pattern);
  if ("problem" in converted) return walk.refuse(path, `pattern /${pattern.source}/: ${converted.problem}`);
  return { type: "string", pattern: converted.source };
}
