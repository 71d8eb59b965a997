// FlowSchemas: which requests go to which priority level.
import { type FieldError, type FlowSchema, fieldError, validateDns1123Subdomain } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { statusAlone } from "../status-strategy.js";
import { conditionErrors } from "./flow-conditions.js";
import { internalMethod } from "./internal-flow.js";
import { validateMandatorySchema } from "./mandatory-configuration.js";
import { validateFlowRule } from "./validate-flow-rule.js";

const usualPrecedence = 1000;
const lastPrecedence = 10_000;
const methods = ["ByNamespace", "ByUser"];

export const flowSchemas: BuiltInKind = {
  resource: "flowschemas.flowcontrol.apiserver.k8s.io",
  strategy: {
    metadata: { onUpdate: ["object"] },
    applyDefaults(object) {
      const schema = draftAs<FlowSchema>(object);
      if (schema.spec) schema.spec.matchingPrecedence ||= usualPrecedence;
    },
    validateCreate: validateFlowSchema,
    validateUpdate: validateFlowSchema,
  },
  status: {
    ...statusAlone,
    metadata: { onUpdate: [] },
    validateUpdate: (object) => conditionErrors(draftAs<FlowSchema>(object).status?.conditions ?? []),
  },
};

function validateFlowSchema(object: DraftObject): FieldError[] {
  const { metadata, spec, status } = draftAs<FlowSchema>(object);
  const { distinguisherMethod, priorityLevelConfiguration, rules = [] } = spec ?? {};
  const level = priorityLevelConfiguration?.name ?? "";
  const field = "spec.priorityLevelConfiguration.name";
  return [
    ...precedenceErrors(spec?.matchingPrecedence ?? 0, metadata?.name ?? ""),
    ...(distinguisherMethod && !methods.includes(distinguisherMethod.type ?? "")
      ? [
          fieldError.notSupported(
            "spec.distinguisherMethod.type",
            internalMethod(distinguisherMethod),
            methods,
          ),
        ]
      : []),
    ...(level === ""
      ? [fieldError.required(field, "must reference a priority level")]
      : invalidBecause(validateDns1123Subdomain(level), level, field)),
    ...checkEach(rules, (rule, index) => validateFlowRule(rule, `spec.rules[${index}]`)),
    ...validateMandatorySchema(metadata?.name ?? "", spec),
    ...conditionErrors(status?.conditions ?? []),
  ];
}

function precedenceErrors(precedence: number, name: string): FieldError[] {
  const field = "spec.matchingPrecedence";
  const only = "only the schema named 'exempt' may have matchingPrecedence 1";
  return [
    ...(precedence <= 0 ? [fieldError.invalid(field, precedence, "must be a positive value")] : []),
    ...(precedence > lastPrecedence
      ? [fieldError.invalid(field, precedence, `must not be greater than ${lastPrecedence}`)]
      : []),
    ...(precedence === 1 && name !== "exempt" ? [fieldError.invalid(field, precedence, only)] : []),
  ];
}
