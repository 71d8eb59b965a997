// IP addresses as the server takes them: also IPv4 with leading zeros, never with a zone.
import { isIP } from "node:net";
import { type FieldError, fieldError } from "@kubewright/api";

/** 4 or 6, or 0 when it is no address. */
export function ipFamily(text: string): 0 | 4 | 6 {
  if (text.length > 45 || text.includes("%")) return 0;
  const family = isIP(text.replace(/(^|\.)0+(?=\d)/g, "$1"));
  return family === 4 ? 4 : isIP(text) === 6 ? 6 : 0;
}

/** The error for what is no address. */
export const validateIp = (text: string, field: string): FieldError[] =>
  ipFamily(text) === 0
    ? [fieldError.invalid(field, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]
    : [];
