// Requests and limits: names, amounts, and requests that stay within their limits.
import {
  Amount,
  type CoreV1ResourceClaim,
  type FieldError,
  fieldError,
  type Quantity,
  type ResourceRequirements,
  validateDns1123Label,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause, negativeText } from "../field-rules.js";
import { allowsOvercommit, isHugePages, isWhole, validateContainerResourceName } from "./resource-names.js";

type NameRule = (name: string, field: string) => FieldError[];

/** Validates the resources of a container, or of a pod where the rule for names is that of pods. */
export function validateResources(
  resources: ResourceRequirements | undefined,
  podClaims: ReadonlySet<string>,
  field: string,
  nameRule: NameRule = validateContainerResourceName,
): FieldError[] {
  const { limits = {}, requests = {} } = resources ?? {};
  const limited = Object.keys(limits);
  const requested = Object.keys(requests);
  const limitOf = (name: string): Quantity | undefined =>
    Object.hasOwn(limits, name) ? limits[name] : undefined;
  const errors = [
    ...checkEach(limited, (name) =>
      itemErrors(name, limits[name] ?? 0, nameRule, `${field}.limits[${name}]`),
    ),
    ...checkEach(requested, (name) => [
      ...itemErrors(name, requests[name] ?? 0, nameRule, `${field}.requests[${name}]`),
      ...limitErrors(name, requests[name] ?? 0, limitOf(name), field),
    ]),
  ];
  const has = (name: string): boolean => Object.hasOwn(limits, name) || Object.hasOwn(requests, name);
  if ((limited.some(isHugePages) || requested.some(isHugePages)) && !has("cpu") && !has("memory"))
    errors.push(fieldError.forbidden(field, "HugePages require cpu or memory"));
  return [...errors, ...claimErrors(resources?.claims, podClaims, `${field}.claims`)];
}

function itemErrors(name: string, quantity: Quantity, nameRule: NameRule, field: string): FieldError[] {
  const amount = Amount.parse(quantity);
  const errors = [...nameRule(name, field), ...validateQuantity(name, amount, field)];
  if (isHugePages(name) && !isMultipleOfPage(name, amount)) {
    const text = `${amount} is not positive integer multiple of ${name}`;
    errors.push(fieldError.invalid(field, amount.toString(), text));
  }
  return errors;
}

/** Not negative, and whole where the resource is counted. */
export function validateQuantity(name: string, amount: Amount, field: string): FieldError[] {
  const errors = amount.sign() < 0 ? [fieldError.invalid(field, amount.toString(), negativeText)] : [];
  if (isWhole(name) && amount.milliValue() % 1000n !== 0n)
    errors.push(fieldError.invalid(field, amount.toString(), "must be an integer"));
  return errors;
}

function isMultipleOfPage(name: string, amount: Amount): boolean {
  try {
    const page = Amount.parse(name.slice("hugepages-".length)).value();
    return page > 0n && amount.value() % page === 0n;
  } catch {
    return false;
  }
}

function limitErrors(
  name: string,
  quantity: Quantity,
  limit: Quantity | undefined,
  field: string,
): FieldError[] {
  if (limit === undefined) {
    if (allowsOvercommit(name)) return [];
    return [fieldError.required(`${field}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const requested = Amount.parse(quantity);
  const order = requested.compare(Amount.parse(limit));
  const at = `${field}.requests`;
  if (order !== 0 && !allowsOvercommit(name)) {
    return [fieldError.invalid(at, requested.toString(), `must be equal to ${name} limit of ${limit}`)];
  }
  if (order <= 0) return [];
  return [
    fieldError.invalid(at, requested.toString(), `must be less than or equal to ${name} limit of ${limit}`),
  ];
}

/** Claims name entries of the pod's `resourceClaims`, each once: whole, or request by request. */
function claimErrors(
  claims: readonly CoreV1ResourceClaim[] | undefined,
  podClaims: ReadonlySet<string>,
  field: string,
): FieldError[] {
  const seen = new Set<string>();
  return checkEach(claims ?? [], ({ name, request }, index) => {
    const at = `${field}[${index}]`;
    if (!name) return [fieldError.required(at)];
    const errors =
      request && !seen.has(name)
        ? invalidBecause(validateDns1123Label(request), request, `${at}.request`)
        : [];
    const key = request ? `${name}/${request}` : name;
    const overlaps = !request && [...seen].some((other) => other.startsWith(`${name}/`));
    if (seen.has(name) || seen.has(key) || overlaps)
      errors.push(fieldError.duplicate(at, seen.has(name) || overlaps ? name : key));
    seen.add(key);
    return podClaims.has(name) ? errors : [...errors, unknownClaim(at, name, podClaims)];
  });
}

function unknownClaim(field: string, name: string, podClaims: ReadonlySet<string>): FieldError {
  const known = podClaims.size === 0 ? " which is empty" : `: ${[...podClaims].sort().join(", ")}`;
  const error = fieldError.notFound(field, name);
  return {
    ...error,
    message: `${error.message}: must be one of the names in pod.spec.resourceClaims${known}`,
  };
}
