// Names of drivers, pools, devices and their attributes.
import {
  type FieldError,
  fieldError,
  validateCIdentifier,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { validateCsiDriverName } from "../core/csi-driver-name.js";
import { invalidBecause } from "../field-rules.js";

const longestPool = 253;
const longestId = 32;

/** Drivers of devices are named like those of storage. */
export const validateDriverName = validateCsiDriverName;

/** A pool: parts like names of objects, separated by slashes. */
export function validatePoolName(name: string, field: string): FieldError[] {
  if (name === "") return [fieldError.required(field)];
  const errors = name.length > longestPool ? [fieldError.tooLong(field, longestPool)] : [];
  const parts = name
    .split("/")
    .flatMap((part) => invalidBecause(validateDns1123Subdomain(part), part, field));
  return [...errors, ...parts];
}

/** A device, a request, a counter. */
export const validateLabelName = (name: string, field: string): FieldError[] =>
  invalidBecause(validateDns1123Label(name), name, field);

/** `memory`, or `driver.example.com/memory`. */
export function validateQualifiedDeviceName(name: string, field: string): FieldError[] {
  const [domain = "", id, ...more] = name.split("/");
  if (id === undefined) return idErrors(domain, field);
  if (more.length > 0) return [fieldError.invalid(field, name, "must not contain more than one slash")];
  return [
    ...(domain === ""
      ? [fieldError.invalid(field, "", "the domain must not be empty")]
      : validateDriverName(domain, field)),
    ...(id === "" ? [fieldError.invalid(field, "", "the name must not be empty")] : idErrors(id, field)),
  ];
}

/** The same where the domain is required. */
export function validateFullyQualifiedName(name: string, field: string): FieldError[] {
  const text = "a fully qualified name must be a domain and a name separated by a slash";
  return [
    ...validateQualifiedDeviceName(name, field),
    ...(name.includes("/") ? [] : [fieldError.invalid(field, name, text)]),
  ];
}

const idErrors = (id: string, field: string): FieldError[] => [
  ...(id.length > longestId ? [fieldError.tooLong(field, longestId)] : []),
  ...invalidBecause(validateCIdentifier(id), id, field),
];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The uid of a share of a device. */
export function validateUid(uid: string, field: string): FieldError[] {
  if (!uuid.test(uid)) {
    const problem = uid.length === 36 ? "invalid UUID format" : `invalid UUID length: ${uid.length}`;
    return [fieldError.invalid(field, uid, `error validating uid: ${problem}`)];
  }
  const text =
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
  return uid === uid.toLowerCase() ? [] : [fieldError.invalid(field, uid, text)];
}
