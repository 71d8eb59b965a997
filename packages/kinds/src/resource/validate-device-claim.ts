// Validates the spec of device claims: requests, subrequests and constraints.
import {
  type DeviceClaim,
  type DeviceConstraint,
  type DeviceRequest,
  type DeviceSubRequest,
  type Draft,
  type ExactDeviceRequest,
  type FieldError,
  fieldError,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import { validateList, validateSet } from "./bounded-list.js";
import { validateDeviceConfiguration } from "./device-configuration.js";
import { validateFullyQualifiedName, validateLabelName } from "./device-names.js";
import { validateDeviceSelectors } from "./device-selector.js";
import { validateDeviceToleration } from "./device-taints.js";

/** Of requests, constraints and configurations. */
export const mostOfEach = 32;
const mostAlternatives = 8;
const modes = ["All", "ExactCount"];
const oneOfThem = "exactly one of `exactly` or `firstAvailable` is required";

/** A request without a mode is for one device. */
export function defaultDeviceClaim(claim: Draft<DeviceClaim> | undefined): void {
  for (const { exactly, firstAvailable } of claim?.requests ?? []) {
    for (const request of [...(exactly ? [exactly] : []), ...(firstAvailable ?? [])]) {
      request.allocationMode ??= "ExactCount";
      if (request.allocationMode === "ExactCount") request.count ||= 1;
      for (const toleration of request.tolerations ?? []) toleration.operator ||= "Equal";
    }
  }
}

/** Problems with a claim. */
export function validateDeviceClaim(claim: DeviceClaim | undefined, field: string): FieldError[] {
  const names = requestNames(claim);
  return [
    ...validateSet(claim?.requests, mostOfEach, `${field}.requests`, requestErrors, ({ name }) => name),
    ...validateList(claim?.constraints, mostOfEach, `${field}.constraints`, (constraint, at) =>
      constraintErrors(constraint, names, at),
    ),
    ...validateList(claim?.config, mostOfEach, `${field}.config`, (config, at) => [
      ...validateRequestNames(config.requests, names, `${at}.requests`),
      ...validateDeviceConfiguration(config, at),
    ]),
  ];
}

/** Names other parts of a claim may refer to: those of requests, and of alternatives within one. */
export const requestNames = (claim: DeviceClaim | undefined): ReadonlySet<string> =>
  new Set(
    (claim?.requests ?? []).flatMap(({ name, firstAvailable }) => [
      name,
      ...(firstAvailable ?? []).map((one) => `${name}/${one.name}`),
    ]),
  );

/** A list of such names. */
export const validateRequestNames = (
  names: readonly string[] | undefined,
  known: ReadonlySet<string>,
  field: string,
): FieldError[] =>
  validateSet(
    names,
    mostOfEach,
    field,
    (name, at) => validateRequestName(name, known, at),
    (name) => name,
  );

/** One such name. */
export function validateRequestName(name: string, known: ReadonlySet<string>, field: string): FieldError[] {
  const text =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const unknown = fieldError.invalid(field, name, text);
  const parts = name.split("/");
  if (parts.length > 2) return [unknown];
  const malformed = parts.flatMap((part) => validateLabelName(part, field));
  return known.has(name) ? malformed : [...malformed, unknown];
}

function requestErrors({ name, exactly, ...request }: DeviceRequest, field: string): FieldError[] {
  const ofName = validateLabelName(name, `${field}.name`);
  const firstAvailable = request.firstAvailable ?? [];
  if (exactly && firstAvailable.length > 0)
    return [...ofName, fieldError.invalid(field, null, `${oneOfThem}, but multiple fields are set`)];
  if (exactly) return [...ofName, ...exactErrors(exactly, `${field}.exactly`)];
  if (firstAvailable.length === 0) return [...ofName, fieldError.required(field, oneOfThem)];
  const alternative = (one: DeviceSubRequest, at: string): FieldError[] => [
    ...validateLabelName(one.name, `${at}.name`),
    ...exactErrors(one, at),
  ];
  const at = `${field}.firstAvailable`;
  return [...ofName, ...validateSet(firstAvailable, mostAlternatives, at, alternative, (one) => one.name)];
}

function exactErrors(request: ExactDeviceRequest | DeviceSubRequest, field: string): FieldError[] {
  const { deviceClassName, allocationMode = "", count = 0, selectors, tolerations = [] } = request;
  const at = `${field}.deviceClassName`;
  return [
    ...(deviceClassName
      ? invalidBecause(validateDns1123Subdomain(deviceClassName), deviceClassName, at)
      : [fieldError.required(at)]),
    ...validateDeviceSelectors(selectors, `${field}.selectors`),
    ...countErrors(allocationMode, count, field),
    ...checkEach(tolerations, (toleration, index) =>
      validateDeviceToleration(toleration, `${field}.tolerations[${index}]`),
    ),
  ];
}

function countErrors(mode: string, count: number, field: string): FieldError[] {
  if (!modes.includes(mode)) return [fieldError.notSupported(`${field}.allocationMode`, mode, modes)];
  const at = `${field}.count`;
  if (mode === "All" && count !== 0)
    return [fieldError.invalid(at, count, "must not be specified when allocationMode is 'All'")];
  return mode === "ExactCount" && count <= 0
    ? [fieldError.invalid(at, count, "must be greater than zero")]
    : [];
}

function constraintErrors(
  { requests, matchAttribute, distinctAttribute }: DeviceConstraint,
  known: ReadonlySet<string>,
  field: string,
): FieldError[] {
  const named = validateRequestNames(requests, known, `${field}.requests`);
  if (matchAttribute !== undefined)
    return [...named, ...validateFullyQualifiedName(matchAttribute, `${field}.matchAttribute`)];
  if (distinctAttribute !== undefined)
    return [...named, ...validateFullyQualifiedName(distinctAttribute, `${field}.distinctAttribute`)];
  const text =
    'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...named, fieldError.required(field, text)];
}
