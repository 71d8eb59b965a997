// What a claim for devices asks for: requests, each of one class or of several in turn, and what the devices must share.
import {
  type DeviceClaim,
  type DeviceRequest,
  type DeviceSubRequest,
  type ExactDeviceRequest,
  type FieldError,
  fieldError,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "@kubewright/api";
import type { Draft } from "../../request/draft.js";
import { problems } from "../field-rules.js";

const mostRequests = 32;
const mostAlternatives = 8;
const modes = ["All", "ExactCount"];
const oneOfThem = "exactly one of `exactly` or `firstAvailable` is required";

/** A request without a mode is for one device. */
export function defaultDeviceClaim(claim: Draft<DeviceClaim> | undefined): void {
  for (const { exactly, firstAvailable } of claim?.requests ?? []) {
    for (const request of [...(exactly ? [exactly] : []), ...(firstAvailable ?? [])]) {
      request.allocationMode ??= "ExactCount";
      if (request.allocationMode === "ExactCount") request.count ||= 1;
    }
  }
}

/** Problems with a claim. */
export function validateDeviceClaim(claim: DeviceClaim | undefined, field: string): FieldError[] {
  const requests = claim?.requests ?? [];
  const constraints = claim?.constraints ?? [];
  const known = new Set(requests.flatMap(namesOf));
  const refer =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  return [
    ...listErrors(requests, mostRequests, `${field}.requests`, requestErrors),
    ...constraints.flatMap(({ requests: named }, index) =>
      (named ?? []).flatMap((name, place) =>
        known.has(name)
          ? []
          : [fieldError.invalid(`${field}.constraints[${index}].requests[${place}]`, name, refer)],
      ),
    ),
  ];
}

const namesOf = ({ name, firstAvailable }: DeviceRequest): string[] => [
  name,
  ...(firstAvailable ?? []).map((one) => `${name}/${one.name}`),
];

/** A list of named things, each name once. */
function listErrors<T extends { readonly name: string }>(
  items: readonly T[],
  most: number,
  field: string,
  errorsOf: (item: T, field: string) => FieldError[],
): FieldError[] {
  const names = items.map(({ name }) => name);
  return [
    ...(items.length > most ? [fieldError.tooMany(field, items.length, most)] : []),
    ...items.flatMap((item, index) => [
      ...(item.name
        ? problems(validateDns1123Label(item.name), item.name, `${field}[${index}].name`)
        : [fieldError.required(`${field}[${index}].name`)]),
      ...errorsOf(item, `${field}[${index}]`),
      ...(names.indexOf(item.name) < index ? [fieldError.duplicate(`${field}[${index}]`, item.name)] : []),
    ]),
  ];
}

function requestErrors({ exactly, ...request }: DeviceRequest, field: string): FieldError[] {
  const firstAvailable = request.firstAvailable ?? [];
  if (exactly && firstAvailable.length > 0)
    return [fieldError.invalid(field, null, `${oneOfThem}, but multiple fields are set`)];
  if (exactly) return exactErrors(exactly, `${field}.exactly`);
  if (firstAvailable.length === 0) return [fieldError.required(field, oneOfThem)];
  return listErrors(firstAvailable, mostAlternatives, `${field}.firstAvailable`, exactErrors);
}

function exactErrors(request: ExactDeviceRequest | DeviceSubRequest, field: string): FieldError[] {
  const { deviceClassName, allocationMode = "", count = 0 } = request;
  const at = `${field}.deviceClassName`;
  return [
    ...(deviceClassName
      ? problems(validateDns1123Subdomain(deviceClassName), deviceClassName, at)
      : [fieldError.required(at)]),
    ...countErrors(allocationMode, count, field),
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
