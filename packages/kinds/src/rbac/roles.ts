// Roles and ClusterRoles: lists of rules, held to what their writer holds.
import {
  type ClusterRole,
  type FieldError,
  fieldError,
  type Role,
  validatePathSegmentName,
} from "@kubewright/api";
import { matcherOf } from "../apps/workload-selector.js";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { selectorErrors } from "../selector-errors.js";
import type { Strategy } from "../strategy.js";
import { confirmRole } from "./escalation.js";
import { validateRules } from "./policy-rules.js";

/** Rules that all kinds of the group share. */
export const rbacStrategy: Strategy = {
  allowCreateOnUpdate: true,
  metadata: { onUpdate: ["update", "object"] },
  validateName: (name, prefix) => validatePathSegmentName(name, { prefix }),
};

const validateRole = (object: DraftObject): FieldError[] => validateRules(draftAs<Role>(object).rules, true);

function validateClusterRole(object: DraftObject): FieldError[] {
  const { rules, aggregationRule } = draftAs<ClusterRole>(object);
  return [...validateRules(rules, false), ...validateAggregation(aggregationRule)];
}

function validateAggregation(rule: ClusterRole["aggregationRule"]): FieldError[] {
  if (!rule) return [];
  const field = "aggregationRule.clusterRoleSelectors";
  const selectors = rule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    const text = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    return [fieldError.required(field, text)];
  }
  return checkEach(selectors, (selector, index) => {
    const at = `${field}[${index}]`;
    const usable = matcherOf(selector) !== undefined;
    return [
      ...selectorErrors(selector, at),
      ...(usable ? [] : [fieldError.invalid(at, null, "invalid label selector.")]),
    ];
  });
}

export const roles: BuiltInKind = {
  resource: "roles.rbac.authorization.k8s.io",
  strategy: {
    ...rbacStrategy,
    begin(object, old, context) {
      confirmRole(context, "roles", object, old);
      return undefined;
    },
    validateCreate: validateRole,
    validateUpdate: validateRole,
  },
};

export const clusterRoles: BuiltInKind = {
  resource: "clusterroles.rbac.authorization.k8s.io",
  strategy: {
    ...rbacStrategy,
    begin(object, old, context) {
      confirmRole(context, "clusterroles", object, old);
      return undefined;
    },
    validateCreate: validateClusterRole,
    validateUpdate: validateClusterRole,
  },
};
