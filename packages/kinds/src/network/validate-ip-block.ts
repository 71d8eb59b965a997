// A range of addresses and the parts of it that are not meant.
import { type FieldError, fieldError, type IPBlock } from "@kubewright/api";
import { validateCidr } from "../ip-address.js";
import { parseRange, rangeContains } from "./ip.js";

export function validateIpBlock(
  { cidr, except = [] }: IPBlock,
  known: readonly string[],
  field: string,
): FieldError[] {
  if (cidr === "") return [fieldError.required(`${field}.cidr`)];
  const errors = validateCidr(cidr, `${field}.cidr`, known);
  const range = parseRange(cidr);
  if (!range) return errors;
  except.forEach((text, index) => {
    const at = `${field}.except[${index}]`;
    errors.push(...validateCidr(text, at, known));
    const part = parseRange(text);
    if (part && (!rangeContains(range, part.address) || range.bits >= part.bits))
      errors.push(fieldError.invalid(at, text, "must be a strict subset of `cidr`"));
  });
  return errors;
}
