// MutatingAdmissionPolicies and their bindings: changes in CEL, and where they are made.
import {
  deepEqual,
  type FieldError,
  fieldError,
  type MutatingAdmissionPolicy,
  type Mutation,
} from "@kubewright/api";
import { listType } from "@kubewright/cel";
import type { ExpressionScope } from "../admission-expressions/admission-types.js";
import { compileAdmissionExpression } from "../admission-expressions/compile-admission-expression.js";
import { configurationType, operationType } from "../admission-expressions/patch-types.js";
import type { BuiltInKind } from "../built-in-kind.js";
import { countGeneration } from "../count-generation.js";
import { oneOf } from "../field-rules.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { defaultMatchResources } from "./default-matching.js";
import { withParamAccess } from "./params-access.js";
import { policyBindings } from "./policy-bindings.js";
import { reviewPolicyParts } from "./validate-policy-parts.js";

function validatePolicy(object: DraftObject, old?: StoredObject): FieldError[] {
  const { spec = {} } = draftAs<MutatingAdmissionPolicy>(object);
  const before = old && storedAs<MutatingAdmissionPolicy>(old).spec;
  const same = before !== undefined && deepEqual(spec.matchConditions, before.matchConditions);
  const mutations = spec.mutations ?? [];
  const review = reviewPolicyParts(spec, same, true);
  const scope = { ...review.scope, patches: true };
  const errors = [...review.errors];
  if (mutations.length === 0)
    errors.push(fieldError.required("spec.mutations", "mutations must contain at least one item"));
  for (const [index, mutation] of mutations.entries())
    errors.push(...mutationErrors(mutation, scope, `spec.mutations[${index}]`));
  return [...errors, ...oneOf(spec.reinvocationPolicy, ["IfNeeded", "Never"], "spec.reinvocationPolicy")];
}

/** Exactly the part that the type of the patch names. */
function mutationErrors(mutation: Mutation, scope: ExpressionScope, field: string): FieldError[] {
  const { patchType } = mutation;
  const parts = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;
  const errors = oneOf(patchType, Object.keys(parts), `${field}.patchType`);
  if (errors.length > 0) return errors;
  const wanted = parts[patchType];
  const other = wanted === "jsonPatch" ? "applyConfiguration" : "jsonPatch";
  const part = mutation[wanted];
  return [
    ...(part
      ? expressionErrors(part.expression ?? "", patchType, scope, `${field}.${wanted}.expression`)
      : [fieldError.required(`${field}.${wanted}`, `must be specified when patchType is ${patchType}`)]),
    ...(mutation[other]
      ? [
          fieldError.invalid(
            `${field}.${other}`,
            mutation[other],
            `must not be specified when patchType is ${patchType}`,
          ),
        ]
      : []),
  ];
}

function expressionErrors(
  source: string,
  patchType: Mutation["patchType"],
  scope: ExpressionScope,
  field: string,
): FieldError[] {
  if (source.trim() === "") return [fieldError.required(field, "expression is not specified")];
  const type = patchType === "JSONPatch" ? listType(operationType) : configurationType;
  const { error } = compileAdmissionExpression(source, scope, [type]);
  return error === undefined ? [] : [fieldError.invalid(field, source, error)];
}

export const mutatingAdmissionPolicies: BuiltInKind = {
  resource: "mutatingadmissionpolicies.admissionregistration.k8s.io",
  strategy: {
    ...countGeneration("spec"),
    allowUnconditionalUpdate: false,
    metadata: { validator: "apimachinery", onUpdate: ["object"] },
    applyDefaults(object) {
      const { spec } = draftAs<MutatingAdmissionPolicy>(object);
      if (!spec) return;
      spec.failurePolicy ??= "Fail";
      defaultMatchResources(spec.matchConstraints);
    },
    ...withParamAccess(validatePolicy),
  },
};

export const mutatingAdmissionPolicyBindings = policyBindings("mutating");
