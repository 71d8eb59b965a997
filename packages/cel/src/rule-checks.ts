// Checks of a rule before it is compiled: an expression, a message of one line, a known reason, an existing field.
import { type FieldError, fieldError, type JSONSchemaProps, type ValidationRule } from "@kubewright/api";
import { normalizeFieldPath } from "./field-path.js";
import { itemSchema, valueSchema } from "./schema-type.js";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const lineBreak = /[\n\r]/;

/** The errors of the fields of a rule. */
export function checkRule(rule: ValidationRule, schema: JSONSchemaProps, path: string): FieldError[] {
  const { reason } = rule;
  return [
    ...checkTexts(rule, path),
    ...(reason !== undefined && !reasons.includes(reason)
      ? [fieldError.notSupported(`${path}.reason`, reason, reasons)]
      : []),
    ...checkFieldPath(rule, schema, `${path}.fieldPath`),
  ];
}

function checkTexts(rule: ValidationRule, path: string): FieldError[] {
  const { message = "", messageExpression = "" } = rule;
  const errors: FieldError[] = [];
  if (rule.rule.trim() === "") errors.push(fieldError.required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "") {
    errors.push(fieldError.invalid(`${path}.message`, message, "must be non-empty if specified"));
  } else if (lineBreak.test(message.trim())) {
    errors.push(fieldError.invalid(`${path}.message`, message, "must not contain line breaks"));
  } else if (lineBreak.test(rule.rule.trim()) && message.trim() === "") {
    errors.push(
      fieldError.required(`${path}.message`, "message must be specified if rule contains line breaks"),
    );
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(
      fieldError.required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"),
    );
  }
  return errors;
}

function checkFieldPath(
  { fieldPath = "" }: ValidationRule,
  schema: JSONSchemaProps,
  path: string,
): FieldError[] {
  if (fieldPath === "") return [];
  const problems: string[] = [];
  if (fieldPath.trim() === "") problems.push("must be non-empty if specified");
  if (lineBreak.test(fieldPath)) problems.push("must not contain line breaks");
  if (normalizeFieldPath(fieldPath, schema) === undefined && isStructural(schema))
    problems.push("must be a valid path");
  return problems.map((problem) => fieldError.invalid(path, fieldPath, problem));
}

/** Paths are looked for in structural schemas. Nothing below one may say that unknown fields are not preserved: that is not said at all. */
function isStructural(schema: JSONSchemaProps): boolean {
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) return false;
  return [itemSchema(schema), valueSchema(schema), ...Object.values(schema.properties ?? {})].every(
    (child) => child === undefined || isStructural(child),
  );
}
