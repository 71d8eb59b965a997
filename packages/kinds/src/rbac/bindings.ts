// RoleBindings and ClusterRoleBindings: who gets the rules of a role.
import {
  deepEqual,
  type FieldError,
  fieldError,
  type RoleBinding,
  type RoleRef,
  type Subject,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import type { DraftObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import type { Strategy } from "../strategy.js";
import { confirmBinding, rbacGroup } from "./escalation.js";
import { rbacStrategy } from "./roles.js";

/** Both kinds have the same fields. */
type Binding = Pick<RoleBinding, "roleRef" | "subjects">;

function applyDefaults(object: DraftObject): void {
  const binding = draftAs<Binding>(object);
  binding.roleRef.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if ((subject.kind === "User" || subject.kind === "Group") && !subject.apiGroup)
      subject.apiGroup = rbacGroup;
  }
}

function strategyOf(
  resource: "rolebindings" | "clusterrolebindings",
  roleKinds: readonly string[],
): Strategy {
  const namespaced = resource === "rolebindings";
  const validate = (object: DraftObject): FieldError[] => {
    const { roleRef, subjects } = draftAs<Binding>(object);
    const list = checkEach(subjects ?? [], (subject, index) =>
      validateSubject(subject, namespaced, `subjects[${index}]`),
    );
    return [...validateRoleRef(roleRef, roleKinds), ...list];
  };
  return {
    ...rbacStrategy,
    applyDefaults,
    begin(object, old, context) {
      confirmBinding(context, resource, object, draftAs<Binding>(object).roleRef, old);
      return undefined;
    },
    validateCreate: validate,
    validateUpdate: (object, old) => [
      ...validate(object),
      ...sameRole(draftAs<Binding>(object).roleRef, storedAs<Binding>(old).roleRef),
    ],
  };
}

function validateRoleRef({ apiGroup, kind, name }: RoleRef, kinds: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (apiGroup !== rbacGroup) errors.push(fieldError.notSupported("roleRef.apiGroup", apiGroup, [rbacGroup]));
  if (!kinds.includes(kind)) errors.push(fieldError.notSupported("roleRef.kind", kind, kinds));
  if (name === "") errors.push(fieldError.required("roleRef.name"));
  return [
    ...errors,
    ...(name === "" ? [] : invalidBecause(validatePathSegmentName(name), name, "roleRef.name")),
  ];
}

/** roleRef is immutable: a user who may update a binding must not thereby grant another role. */
function sameRole(now: RoleRef, before: RoleRef): FieldError[] {
  if (deepEqual(now, before)) return [];
  const shown = { APIGroup: now.apiGroup, Kind: now.kind, Name: now.name };
  return [fieldError.invalid("roleRef", shown, "cannot change roleRef")];
}

function validateSubject(subject: Subject, namespaced: boolean, field: string): FieldError[] {
  const { kind, name, apiGroup = "", namespace = "" } = subject;
  const errors = name === "" ? [fieldError.required(`${field}.name`)] : [];
  const group = (wanted: string): FieldError[] =>
    apiGroup === wanted ? [] : [fieldError.notSupported(`${field}.apiGroup`, apiGroup, [wanted])];
  switch (kind) {
    case "ServiceAccount":
      return [
        ...errors,
        ...(name === "" ? [] : invalidBecause(validateDns1123Subdomain(name), name, `${field}.name`)),
        ...group(""),
        ...(namespaced || namespace !== "" ? [] : [fieldError.required(`${field}.namespace`)]),
      ];
    case "User":
    case "Group":
      return [...errors, ...group(rbacGroup)];
    default: {
      const kinds = ["ServiceAccount", "User", "Group"];
      return [...errors, fieldError.notSupported(`${field}.kind`, kind, kinds)];
    }
  }
}

export const roleBindings: BuiltInKind = {
  resource: "rolebindings.rbac.authorization.k8s.io",
  strategy: strategyOf("rolebindings", ["Role", "ClusterRole"]),
};

export const clusterRoleBindings: BuiltInKind = {
  resource: "clusterrolebindings.rbac.authorization.k8s.io",
  strategy: strategyOf("clusterrolebindings", ["ClusterRole"]),
};
