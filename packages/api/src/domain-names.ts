// Names that must say whose they are by a domain: webhooks, API groups, signers.
import type { FieldError } from "./errors.js";
import { fieldError } from "./field-error.js";
import { patternText, validateDns1123Label, validateDns1123Subdomain } from "./names.js";

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathRegexp = new RegExp(`^${pathPattern}$`);

/** Validation errors of a name that needs at least three segments: `validate.models.example`. */
export function validateFullyQualifiedName(name: string, field: string): FieldError[] {
  if (name === "") return [fieldError.required(field)];
  const texts = validateDns1123Subdomain(name);
  if (texts.length > 0) return [fieldError.invalid(field, name, texts.join(","))];
  if (name.split(".").length >= 3) return [];
  return [
    fieldError.invalid(field, name, "should be a domain with at least three segments separated by dots"),
  ];
}

/** Validation errors of a domain name, which needs two segments and may end with a dot: `example.com`. */
export function validateFullyQualifiedDomainName(name: string, field: string): FieldError[] {
  if (name === "") return [fieldError.required(field)];
  const domain = name.endsWith(".") ? name.slice(0, -1) : name;
  const texts = validateDns1123Subdomain(domain);
  if (texts.length > 0) return [fieldError.invalid(field, domain, texts.join(","))];
  const segments = domain.split(".");
  if (segments.length < 2) {
    return [
      fieldError.invalid(field, domain, "should be a domain with at least two segments separated by dots"),
    ];
  }
  for (const segment of segments) {
    const wrong = validateDns1123Label(segment);
    if (wrong.length > 0) return [fieldError.invalid(field, segment, wrong.join(","))];
  }
  return [];
}

/** Validation errors of a path under a domain: `example.com/path`. */
export function validateDomainPrefixedPath(path: string, field: string): FieldError[] {
  if (path === "") return [fieldError.required(field)];
  const slash = path.indexOf("/");
  if (slash < 1 || slash === path.length - 1) {
    return [fieldError.invalid(field, path, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const host = path.slice(0, slash);
  const rest = path.slice(slash + 1);
  const errors = validateDns1123Subdomain(host).map((text) => fieldError.invalid(field, host, text));
  if (!pathRegexp.test(rest)) {
    errors.push(fieldError.invalid(field, rest, patternText("Invalid path", pathPattern)));
  }
  return errors;
}
