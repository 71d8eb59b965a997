// Validates the validations of a validating policy: expressions, messages and audit annotations.
import {
  type AuditAnnotation,
  type FieldError,
  fieldError,
  utf8Length,
  type ValidatingAdmissionPolicySpec,
  type Validation,
  validateQualifiedName,
} from "@kubewright/api";
import { boolType, type CelType, nullType, stringType } from "@kubewright/cel";
import type { ExpressionScope } from "../admission-expressions/admission-types.js";
import { compileAdmissionExpression } from "../admission-expressions/compile-admission-expression.js";
import { invalidBecause, oneOfIfSet } from "../field-rules.js";
import { repeated } from "../repeated.js";

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const maxAnnotations = 20;
const maxExpressionBytes = 5 * 1024;

/** Problems with validations and audit annotations; `name` is the policy's, `scope` what expressions know. */
export function validateValidations(
  spec: ValidatingAdmissionPolicySpec,
  scope: ExpressionScope,
  name: string,
): FieldError[] {
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const text = "validations or auditAnnotations must contain at least one item";
    return ["spec.validations", "spec.auditAnnotations"].map((field) => fieldError.required(field, text));
  }
  const errors: FieldError[] = [];
  for (const [index, validation] of validations.entries())
    errors.push(...validationErrors(validation, scope, `spec.validations[${index}]`));
  return [...errors, ...annotationErrors(auditAnnotations, scope, name)];
}

function compileErrors(
  source: string,
  scope: ExpressionScope,
  returns: readonly CelType[],
  field: string,
  shown = source,
): FieldError[] {
  const { error } = compileAdmissionExpression(source, scope, returns);
  return error === undefined ? [] : [fieldError.invalid(field, shown, error)];
}

function validationErrors(validation: Validation, scope: ExpressionScope, field: string): FieldError[] {
  const { expression, message = "", messageExpression = "", reason } = validation;
  const at = `${field}.messageExpression`;
  return [
    ...(expression.trim() === ""
      ? [fieldError.required(`${field}.expression`, "expression is not specified")]
      : compileErrors(expression, scope, [boolType], `${field}.expression`)),
    ...(messageExpression !== "" && messageExpression.trim() === ""
      ? [fieldError.invalid(at, messageExpression, "must be non-empty if specified")]
      : []),
    ...(messageExpression.trim() === ""
      ? []
      : compileErrors(messageExpression, { ...scope, authorizer: false }, [stringType], at)),
    ...messageErrors(message, `${field}.message`),
    ...oneOfIfSet(reason, reasons, `${field}.reason`),
  ];
}

function messageErrors(message: string, field: string): FieldError[] {
  if (message !== "" && message.trim() === "")
    return [fieldError.invalid(field, message, "message must be non-empty if specified")];
  if (/[\n\r]/.test(message.trim()))
    return [fieldError.invalid(field, message, "message must not contain line breaks")];
  return [];
}

function annotationErrors(
  annotations: readonly AuditAnnotation[],
  scope: ExpressionScope,
  name: string,
): FieldError[] {
  const repeats = repeated(annotations.map(({ key }) => key));
  const field = "spec.auditAnnotations";
  const errors =
    annotations.length > maxAnnotations
      ? [fieldError.invalid(field, annotations, `must not have more than ${maxAnnotations} auditAnnotations`)]
      : [];
  for (const [index, annotation] of annotations.entries()) {
    const at = `${field}[${index}]`;
    errors.push(...oneAnnotation(annotation, scope, name, at));
    if (repeats.has(index)) errors.push(fieldError.duplicate(`${at}.key`, annotation.key));
  }
  return errors;
}

function oneAnnotation(
  { key, valueExpression }: AuditAnnotation,
  scope: ExpressionScope,
  name: string,
  field: string,
): FieldError[] {
  const full = `${name}/${key}`;
  const source = valueExpression.trim();
  const at = `${field}.valueExpression`;
  const errors =
    name === ""
      ? [fieldError.invalid(`${field}.key`, key, "requires metadata.name be non-empty")]
      : invalidBecause(validateQualifiedName(full), full, `${field}.key`);
  if (source === "") return [...errors, fieldError.required(at, "valueExpression is not specified")];
  if (utf8Length(source) > maxExpressionBytes)
    return [...errors, fieldError.required(at, `must not exceed ${maxExpressionBytes} bytes in length`)];
  return [...errors, ...compileErrors(source, scope, [stringType, nullType], at, valueExpression)];
}
