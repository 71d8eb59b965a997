// Validates backends of Ingresses: a port of a Service, or another resource.
import {
  type FieldError,
  fieldError,
  type IngressBackend,
  type IngressServiceBackend,
  type TypedLocalObjectReference,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validatePortName,
  validatePortNumber,
} from "@kubewright/api";
import { invalidBecause } from "../field-rules.js";

export function validateIngressBackend({ resource, service }: IngressBackend, field: string): FieldError[] {
  if (resource && service)
    return [fieldError.invalid(field, "", "cannot set both resource and service backends")];
  if (resource) return validateReference(resource, `${field}.resource`);
  if (service) return serviceErrors(service, field);
  return [fieldError.invalid(field, "", "resource or service backend is required")];
}

function serviceErrors({ name, port }: IngressServiceBackend, field: string): FieldError[] {
  const errors =
    name === ""
      ? [fieldError.required(`${field}.service.name`)]
      : invalidBecause(validateDns1123Label(name), name, `${field}.service.name`);
  const at = `${field}.service.port`;
  if (port?.name && port.number)
    return [...errors, fieldError.invalid(field, "", "cannot set both port name & port number")];
  if (port?.name) return [...errors, ...invalidBecause(validatePortName(port.name), port.name, `${at}.name`)];
  if (port?.number)
    return [...errors, ...invalidBecause(validatePortNumber(port.number), port.number, `${at}.number`)];
  return [...errors, fieldError.required(field, "port name or number is required")];
}

/** A reference to an object of any kind in the same namespace. */
export function validateReference(
  { apiGroup, kind, name }: TypedLocalObjectReference,
  field: string,
): FieldError[] {
  const segment = (value: string, part: string): FieldError[] =>
    value === ""
      ? [fieldError.required(`${field}.${part}`)]
      : invalidBecause(validatePathSegmentName(value), value, `${field}.${part}`);
  return [
    ...(apiGroup === undefined || apiGroup === null
      ? []
      : invalidBecause(validateDns1123Subdomain(apiGroup), apiGroup, `${field}.apiGroup`)),
    ...segment(kind, "kind"),
    ...segment(name, "name"),
  ];
}
