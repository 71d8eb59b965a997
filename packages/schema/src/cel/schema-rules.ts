// The validation rules of a schema, compiled once and run over objects.
import type { JSONSchemaProps } from "@kubewright/api";
import { evaluationSteps } from "./evaluate-rules.js";
import type { SchemaRules, SchemaRulesOptions } from "./program.js";
import { buildRuleTree } from "./rule-tree.js";

/**
 * Compiles every `x-kubernetes-validations` rule in the schema of a custom resource.
 *
 * @example
 * const rules = compileSchemaRules(schema, { path: "spec.versions[0].schema.openAPIV3Schema" });
 * if (rules.errors.length === 0) rules.validate({ self: object, old: stored, budget: createBudget() });
 */
export const compileSchemaRules = (schema: JSONSchemaProps, options: SchemaRulesOptions): SchemaRules =>
  schemaRulesSteps(schema, options);

/** The same, pausing after each rule. */
export function schemaRulesSteps(schema: JSONSchemaProps, options: SchemaRulesOptions): SchemaRules {
  const { root, errors } = buildRuleTree(schema, options.path);
  return {
    errors,
    isEmpty: root === undefined,
    validate: (input) => (root === undefined ? [] : evaluationSteps(root, input)),
    validating(input) {
      return root === undefined ? [] : evaluationSteps(root, input);
    },
  };
}
