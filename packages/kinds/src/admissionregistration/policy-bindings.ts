// Bindings of admission policies: what both kinds have in common.
import type { FieldError, MutatingAdmissionPolicyBinding } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { countGeneration } from "../count-generation.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import type { StrategyContext } from "../strategy-context.js";
import { defaultMatchResources } from "./default-matching.js";
import { paramRefAccess } from "./params-access.js";
import { validateBinding } from "./validate-policy-parts.js";

/** The bindings of one kind of policies, with the rules only they have. */
export function policyBindings(
  which: "validating" | "mutating",
  furtherErrors: (object: DraftObject) => FieldError[] = () => [],
): BuiltInKind {
  const validate = (object: DraftObject, context: StrategyContext): FieldError[] => {
    const spec = draftAs<MutatingAdmissionPolicyBinding>(object).spec ?? {};
    const errors = [...validateBinding(spec), ...furtherErrors(object)];
    return errors.length > 0 ? [...errors] : paramRefAccess(context, `${which}admissionpolicies`, spec);
  };
  return {
    resource: `${which}admissionpolicybindings.admissionregistration.k8s.io`,
    strategy: {
      ...countGeneration("spec"),
      allowUnconditionalUpdate: false,
      metadata: { validator: "apimachinery", onUpdate: ["object"] },
      applyDefaults: (object) =>
        defaultMatchResources(draftAs<MutatingAdmissionPolicyBinding>(object).spec?.matchResources),
      validateCreate: validate,
      validateUpdate: (object, _old, context) => validate(object, context),
    },
  };
}
