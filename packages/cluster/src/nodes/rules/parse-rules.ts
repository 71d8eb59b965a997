// Rules in files: YAML or JSON, a list or an object with `rules`.
import { fieldError, isObject, ValidationError } from "@kubewright/api";
import { parseDocument } from "yaml";
import { checkRule } from "./check-rule.js";
import type { Rule } from "./rule.js";

/**
 * Reads rules; throws a ValidationError that names `source` and the place of everything that is wrong.
 *
 * @example
 * parseRules("- match: { image: 'db:*' }\n  effects: { startLatency: 5s }", "rules.yaml");
 */
export function parseRules(text: string, source: string): readonly Rule[] {
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem) throw new ValidationError(source, [fieldError.invalid("", "", problem.message)]);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  const isWrapped = isObject(value);
  const list = isWrapped ? value["rules"] : value;
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    const what = 'must be a list of rules, each with "match" and "effects"';
    throw new ValidationError(source, [fieldError.typeInvalid("rules", typeof list, what)]);
  }
  const errors = [];
  const rules: Rule[] = [];
  for (const [at, each] of list.entries()) {
    try {
      rules.push(checkRule(each, `rules[${at}]`));
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      errors.push(...error.errors);
    }
  }
  if (errors.length > 0) throw new ValidationError(source, errors);
  return rules;
}
