// Validates updates of Services: immutable fields.
import { type FieldError, fieldError, type Service, type ServiceSpec } from "@kubewright/api";
import { checkEach } from "../../check-each.js";
import { hasHealthCheck, isHeadless } from "./service-traits.js";
import { validateBalancerClass } from "./validate-traffic.js";

/** Problems with the step from one spec to the next. Aliases may become anything, and anything an alias. */
export function validateServiceChange({ spec = {} }: Service, { spec: before = {} }: Service): FieldError[] {
  return [
    ...clusterIpErrors(spec, before),
    ...familyErrors(spec, before),
    ...classErrors(spec, before),
    // Looked at once more with the rest: clients see each problem two times.
    ...validateBalancerClass(spec),
    ...healthCheckErrors(spec, before),
  ];
}

const isAlias = (spec: ServiceSpec, before: ServiceSpec): boolean =>
  spec.type === "ExternalName" || before.type === "ExternalName";

const mustBeSingle = (spec: ServiceSpec, what: string): FieldError[] =>
  spec.ipFamilyPolicy === "SingleStack"
    ? []
    : [
        fieldError.invalid(
          "spec.ipFamilyPolicy",
          spec.ipFamilyPolicy ?? null,
          `must be set to 'SingleStack' when releasing the secondary ${what}`,
        ),
      ];

function clusterIpErrors(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  if (isAlias(spec, before) || (isHeadless(spec) && isHeadless(before))) return [];
  const now = spec.clusterIPs ?? [];
  const then = before.clusterIPs ?? [];
  const shown = spec.clusterIPs ?? null;
  const changed = (index: number): FieldError =>
    fieldError.invalid(`spec.clusterIPs[${index}]`, shown, "may not change once set");
  if (now.length === then.length)
    return checkEach(then, (ip, index) => (ip === now[index] ? [] : [changed(index)]));
  const errors = then.length > 0 && now.length > 0 && now[0] !== then[0] ? [changed(0)] : [];
  if (now.length > then.length) return errors;
  if (now.length === 0)
    errors.unshift(fieldError.invalid("spec.clusterIPs[0]", shown, "primary clusterIP can not be unset"));
  return now.length === 1 ? [...errors, ...mustBeSingle(spec, "clusterIP")] : errors;
}

function familyErrors(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  if (isAlias(spec, before) || isHeadless(spec) || isHeadless(before)) return [];
  const now = spec.ipFamilies ?? [];
  const then = before.ipFamilies ?? [];
  const changed = (shown: unknown): FieldError =>
    fieldError.invalid("spec.ipFamilies[0]", shown ?? null, "may not change once set");
  if (now.length === then.length)
    return checkEach(then, (family, index) => (family === now[index] ? [] : [changed(spec.ipFamilies)]));
  const errors = then.length > 0 && now.length > 0 && now[0] !== then[0] ? [changed(spec.clusterIPs)] : [];
  if (now.length > then.length) return errors;
  if ((spec.clusterIPs ?? []).length === 0) {
    const text = "primary ipFamily can not be unset";
    errors.unshift(fieldError.invalid("spec.ipFamilies[0]", spec.ipFamilies ?? null, text));
  }
  return now.length === 1 ? [...errors, ...mustBeSingle(spec, "ipFamily")] : errors;
}

function classErrors(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  const both = spec.type === "LoadBalancer" && before.type === "LoadBalancer";
  if (!both || spec.loadBalancerClass === before.loadBalancerClass) return [];
  return [
    fieldError.invalid("spec.loadBalancerClass", spec.loadBalancerClass ?? null, "may not change once set"),
  ];
}

function healthCheckErrors(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  const both = hasHealthCheck(spec) && hasHealthCheck(before);
  if (!both || spec.healthCheckNodePort === before.healthCheckNodePort) return [];
  return [fieldError.forbidden("spec.healthCheckNodePort", "field is immutable")];
}
