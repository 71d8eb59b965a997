// IngressClasses: which controller implements an ingress, and how it is configured.
import {
  type FieldError,
  fieldError,
  type IngressClass,
  type IngressClassParametersReference,
  type IngressClassSpec,
  utf8Length,
  validateDns1123Label,
  validateDomainPrefixedPath,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { countGeneration } from "../count-generation.js";
import { immutable, invalidBecause } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { validateReference } from "./validate-ingress-backend.js";

const maxControllerBytes = 250;

export const ingressClasses: BuiltInKind = {
  resource: "ingressclasses.networking.k8s.io",
  strategy: {
    ...countGeneration("spec"),
    metadata: { onUpdate: ["update", "object"] },
    applyDefaults(object) {
      const parameters = draftAs<IngressClass>(object).spec?.parameters;
      if (parameters) parameters.scope ??= "Cluster";
    },
    validateCreate: (object) => validateSpec(draftAs<IngressClass>(object).spec ?? {}),
    validateUpdate(object, old) {
      const { spec = {} } = draftAs<IngressClass>(object);
      const before = storedAs<IngressClass>(old).spec?.controller;
      return [...immutable(spec.controller ?? "", before, "spec.controller"), ...validateSpec(spec)];
    },
  },
};

function validateSpec({ controller = "", parameters }: IngressClassSpec): FieldError[] {
  const field = "spec.controller";
  const errors =
    controller === "" ? [fieldError.required(field)] : validateDomainPrefixedPath(controller, field);
  if (utf8Length(controller) > maxControllerBytes)
    errors.unshift(fieldError.tooLong(field, maxControllerBytes));
  return parameters ? [...errors, ...parameterErrors(parameters)] : errors;
}

function parameterErrors(parameters: IngressClassParametersReference): FieldError[] {
  const field = "spec.parameters";
  const { scope = "", namespace } = parameters;
  const errors = validateReference(parameters, field);
  if (scope !== "Cluster" && scope !== "Namespace")
    return [...errors, fieldError.notSupported(`${field}.scope`, scope, ["Cluster", "Namespace"])];
  const at = `${field}.namespace`;
  if (scope === "Cluster")
    return namespace === undefined
      ? errors
      : [...errors, fieldError.forbidden(at, "`parameters.scope` is set to 'Cluster'")];
  return namespace === undefined
    ? [...errors, fieldError.required(at, "`parameters.scope` is set to 'Namespace'")]
    : [...errors, ...invalidBecause(validateDns1123Label(namespace), namespace, at)];
}
