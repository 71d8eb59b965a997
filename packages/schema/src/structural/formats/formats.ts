// The formats Kubernetes checks in custom resources. Any other format is ignored (and the CRD gets a warning for it).
import { isEmail } from "./email.js";
import {
  hexColour,
  isBase64,
  isCreditCard,
  isIsbn10,
  isIsbn13,
  isLongName,
  isShortName,
  objectId,
  rgbColour,
  socialSecurityNumber,
  uuidPatterns,
} from "./identifiers.js";
import { isCidr, isHostname, isIpv4Format, isIpv6, isMac, isRequestUri } from "./network.js";
import { isDate, isDateTime, isDuration } from "./time.js";

/** Whether a text has a format. */
export type FormatCheck = (text: string) => boolean;

const matches =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["bsonobjectid", matches(objectId)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4Format],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", matches(uuidPatterns.uuid)],
  ["uuid3", matches(uuidPatterns.uuid3)],
  ["uuid4", matches(uuidPatterns.uuid4)],
  ["uuid5", matches(uuidPatterns.uuid5)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && socialSecurityNumber.test(text)],
  ["hexcolor", matches(hexColour)],
  ["rgbcolor", matches(rgbColour)],
  ["byte", isBase64],
  ["password", () => true],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["k8sshortname", isShortName],
  ["k8slongname", isLongName],
]);

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

/** The check of a string format; `date-time` and `datetime` are the same. Undefined for a format that is ignored. */
export function stringFormat(format: string): FormatCheck | undefined {
  return checks.get(format.replaceAll("-", ""));
}

/** Whether a format means something for the type; formats that do not are as if they were not there. */
export function isKnownFormat(type: string | undefined, format: string): boolean {
  const ofType = numberFormats[type ?? ""];
  return ofType?.includes(format) === true || stringFormat(format) !== undefined;
}
