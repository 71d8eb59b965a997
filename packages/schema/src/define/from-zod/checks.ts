// Sorts the checks of a zod schema: those the structural schema has a keyword for, our annotations, and the rest.
import type { z } from "zod";
import { type Annotation, isAnnotation } from "../annotation.js";
import type { Walk } from "./walk.js";

/** Any check zod itself defines. */
export type KnownCheck = z.core.$ZodChecks["_zod"]["def"];

/** The checks of a schema without our annotations; a format such as `z.email()` is its own first check. */
export function checksOf(schema: z.core.$ZodType): readonly KnownCheck[] {
  const checks = (schema._zod.def.checks ?? []).filter((check) => !isAnnotation(check));
  const defs: readonly z.core.$ZodCheckDef[] = checks.map((check) => check._zod.def);
  const own = schema._zod.def;
  // zod types a check by its base only; every check it makes is one of $ZodChecks, and the converters refuse any other.
  return (isFormat(own) ? [own, ...defs] : defs) as readonly KnownCheck[];
}

function isFormat(def: z.core.$ZodTypeDef): def is z.core.$ZodTypeDef & z.core.$ZodCheckDef {
  return def.type !== "custom" && "check" in def;
}

/** The annotations laid on this schema. */
export function annotationsOf(schema: z.core.$ZodType): readonly Annotation[] {
  const checks = schema._zod.def.checks;
  if (checks === undefined) return [];
  return checks.filter(isAnnotation).map((check) => check.annotation);
}

const insteadOfCheck: Readonly<Record<string, string>> = {
  custom: 'a refinement runs only in JavaScript; use .check(rule("<CEL expression>")) instead',
  overwrite:
    "trim(), toLowerCase() and the like change the value, which the API server stores as written; use a pattern or a rule()",
  property:
    "a property check cannot be said in a CustomResourceDefinition; put it on the field, or use a rule()",
  properties:
    "a property check cannot be said in a CustomResourceDefinition; put it on the field, or use a rule()",
};

/** Refuses a check that no keyword stands for. */
export function refuseCheck(check: { readonly check: string }, path: string, walk: Walk): void {
  const reason = insteadOfCheck[check.check];
  walk.refuse(
    path,
    reason ?? `the check ${check.check} cannot be said in a CustomResourceDefinition; use a rule()`,
  );
}
