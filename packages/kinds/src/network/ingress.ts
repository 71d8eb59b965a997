// Ingresses: which requests from outside go to which service.
import {
  type FieldError,
  fieldError,
  type Ingress,
  type IngressRule,
  type IngressSpec,
  validateDns1123Subdomain,
  validateWildcardDns1123Subdomain,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { validateIngressPoints } from "../core/load-balancer-status.js";
import { invalidBecause } from "../field-rules.js";
import { ipFamily } from "../ip-address.js";
import type { DraftObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { validateIngressBackend } from "./validate-ingress-backend.js";
import { validateIngressPath } from "./validate-ingress-path.js";

const classAnnotation = "kubernetes.io/ingress.class";

export const ingresses: BuiltInKind = {
  resource: "ingresses.networking.k8s.io",
  strategy: {
    metadata: { onUpdate: ["update", "object"] },
    validateCreate: (object) => [
      ...validateSpec(draftAs<Ingress>(object).spec ?? {}),
      ...classErrors(object),
    ],
    validateUpdate: (object) => validateSpec(draftAs<Ingress>(object).spec ?? {}),
    warnings(object, old) {
      const { metadata, spec } = draftAs<Ingress>(object);
      const deprecated = metadata?.annotations?.[classAnnotation] !== undefined && !spec?.ingressClassName;
      if (old || !deprecated) return [];
      return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
    },
  },
  status: {
    validateUpdate(object, old) {
      const points = draftAs<Ingress>(object).status?.loadBalancer?.ingress ?? [];
      const before = storedAs<Ingress>(old).status?.loadBalancer?.ingress ?? [];
      return validateIngressPoints(points, before, "status.loadBalancer.ingress", false);
    },
  },
};

function classErrors(object: DraftObject): FieldError[] {
  const { metadata, spec } = draftAs<Ingress>(object);
  const annotated = metadata?.annotations?.[classAnnotation];
  const named = spec?.ingressClassName;
  if (annotated === undefined || named === undefined || annotated === named) return [];
  const text = "must match `ingressClassName` when both are specified";
  return [fieldError.invalid(`annotations.${classAnnotation}`, annotated, text)];
}

function validateSpec({ rules = [], defaultBackend, tls = [], ingressClassName }: IngressSpec): FieldError[] {
  return [
    ...(rules.length === 0 && !defaultBackend
      ? [fieldError.invalid("spec", null, "either `defaultBackend` or `rules` must be specified")]
      : []),
    ...(defaultBackend ? validateIngressBackend(defaultBackend, "spec.defaultBackend") : []),
    ...checkEach(rules, (rule, index) => ruleErrors(rule, `spec.rules[${index}]`)),
    ...checkEach(tls, ({ hosts = [], secretName }, index) => [
      ...checkEach(hosts, (host, at) => hostErrors(host, `spec.tls[${index}].hosts[${at}]`)),
      ...(secretName
        ? invalidBecause(validateDns1123Subdomain(secretName), secretName, `spec.tls[${index}].secretName`)
        : []),
    ]),
    ...(ingressClassName === undefined
      ? []
      : invalidBecause(
          validateDns1123Subdomain(ingressClassName),
          ingressClassName,
          "spec.ingressClassName",
        )),
  ];
}

const hostErrors = (host: string, field: string): FieldError[] =>
  invalidBecause(
    host.includes("*") ? validateWildcardDns1123Subdomain(host) : validateDns1123Subdomain(host),
    host,
    field,
  );

function ruleErrors({ host, http }: IngressRule, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (host) {
    if (ipFamily(host) !== 0)
      errors.push(fieldError.invalid(`${field}.host`, host, "must be a DNS name, not an IP address"));
    errors.push(...hostErrors(host, `${field}.host`));
  }
  if (!http) return errors;
  const paths = http.paths ?? [];
  if (paths.length === 0) errors.push(fieldError.required(`${field}.http.paths`));
  return [
    ...errors,
    ...checkEach(paths, (path, index) => validateIngressPath(path, `${field}.http.paths[${index}]`)),
  ];
}
