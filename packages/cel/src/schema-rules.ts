// The validation rules of a schema, compiled once and run over objects.
import type { JSONSchemaProps } from "@kubewright/api";
import { evaluateRules } from "./evaluate-rules.js";
import type { SchemaRules, SchemaRulesOptions } from "./program.js";
import { buildRuleTree } from "./rule-tree.js";

/**
 * Compiles every `x-kubernetes-validations` rule in the schema of a custom resource.
 *
 * @example
 * const rules = compileSchemaRules(schema, { path: "spec.versions[0].schema.openAPIV3Schema" });
 * if (rules.errors.length === 0) rules.validate({ self: object, old: stored, budget: createBudget() });
 */
export function compileSchemaRules(schema: JSONSchemaProps, options: SchemaRulesOptions): SchemaRules {
  const { root, errors } = buildRuleTree(schema, options);
  return {
    errors,
    isEmpty: root === undefined,
    validate: (input) => (root === undefined ? [] : evaluateRules(root, input)),
  };
}
