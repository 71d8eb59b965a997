// Numbers and integers with their bounds.
import type { JSONSchemaProps } from "@kubewright/api";
import type { z } from "zod";
import { checksOf, refuseCheck } from "./checks.js";
import type { SchemaDraft, Walk } from "./walk.js";

interface NumberFormat {
  readonly type: "integer" | "number";
  readonly format?: string;
  /** Stated where the format alone is not checked by Kubernetes and the bounds are not those of every number. */
  readonly minimum?: number;
  readonly maximum?: number;
}

const formats: Readonly<Record<string, NumberFormat>> = {
  safeint: { type: "integer" },
  int32: { type: "integer", format: "int32", minimum: -2147483648, maximum: 2147483647 },
  uint32: { type: "integer", format: "int64", minimum: 0, maximum: 4294967295 },
  float32: { type: "number", format: "float" },
  float64: { type: "number", format: "double" },
};

/** Converts `z.number()`, `z.int()` and the sized formats. */
export function convertNumber(schema: z.core.$ZodNumber, path: string, walk: Walk): JSONSchemaProps {
  if (schema._zod.def.coerce === true) {
    return walk.refuse(path, "the API server does not coerce values; use z.number() or z.int()");
  }
  const draft: SchemaDraft = { type: "number" };
  const divisors = new Set<number>();
  for (const check of checksOf(schema)) {
    switch (check.check) {
      case "number_format":
        applyFormat(formats[check.format] ?? { type: "number" }, draft);
        break;
      case "greater_than":
        narrowMinimum(draft, Number(check.value), check.inclusive);
        break;
      case "less_than":
        narrowMaximum(draft, Number(check.value), check.inclusive);
        break;
      case "multiple_of":
        divisors.add(Math.abs(Number(check.value)));
        break;
      default:
        refuseCheck(check, path, walk);
    }
  }
  return withDivisors(draft, [...divisors]);
}

function applyFormat(format: NumberFormat, draft: SchemaDraft): void {
  if (format.type === "integer") draft.type = "integer";
  if (format.format !== undefined) draft.format = format.format;
  if (format.minimum !== undefined) narrowMinimum(draft, format.minimum, true);
  if (format.maximum !== undefined) narrowMaximum(draft, format.maximum, true);
}

function narrowMinimum(draft: SchemaDraft, value: number, inclusive: boolean): void {
  if (draft.minimum !== undefined && draft.minimum > value) return;
  const exclusive = !inclusive || (draft.minimum === value && draft.exclusiveMinimum === true);
  draft.minimum = value;
  if (exclusive) draft.exclusiveMinimum = true;
  else delete draft.exclusiveMinimum;
}

function narrowMaximum(draft: SchemaDraft, value: number, inclusive: boolean): void {
  if (draft.maximum !== undefined && draft.maximum < value) return;
  const exclusive = !inclusive || (draft.maximum === value && draft.exclusiveMaximum === true);
  draft.maximum = value;
  if (exclusive) draft.exclusiveMaximum = true;
  else delete draft.exclusiveMaximum;
}

function withDivisors(draft: SchemaDraft, divisors: readonly number[]): JSONSchemaProps {
  const [first, ...rest] = divisors;
  if (first !== undefined) draft.multipleOf = first;
  if (rest.length > 0) draft.allOf = rest.map((multipleOf) => ({ multipleOf }));
  return draft;
}
