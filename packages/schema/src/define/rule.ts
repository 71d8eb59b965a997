// CEL rules and what is commonly made of them, in the form any zod schema takes with `.check()`.
import type { ValidationRule } from "@kubewright/api";
import { type AnnotationCheck, annotate } from "./annotation.js";

/** The fields of a rule besides its expression. */
export interface RuleOptions extends Omit<ValidationRule, "rule"> {}

/** A CEL rule; also accepted by `.check()` of any schema. */
export interface Rule extends AnnotationCheck {
  readonly rule: ValidationRule;
}

/**
 * A CEL rule over `self` (and `oldSelf` on update).
 *
 * @example
 * z.object({ min: z.int(), max: z.int() }).check(rule("self.min <= self.max", "min must not exceed max"));
 */
export function rule(expression: string, messageOrOptions: string | RuleOptions = {}): Rule {
  const options = typeof messageOrOptions === "string" ? { message: messageOrOptions } : messageOrOptions;
  const validation: ValidationRule = { rule: expression, ...options };
  return Object.assign(annotate({ rules: [validation] }), { rule: validation });
}
