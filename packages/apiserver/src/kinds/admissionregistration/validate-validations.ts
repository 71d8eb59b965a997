// What a validating policy demands: expressions that must hold, messages, and annotations for the audit log.
import {
  type AuditAnnotation,
  type FieldError,
  fieldError,
  utf8Length,
  type ValidatingAdmissionPolicySpec,
  type Validation,
  validateQualifiedName,
} from "@kubewright/api";
import { boolType, type CelType, nullType, stringType } from "@kubewright/schema/engine";
import type { ExpressionScope } from "../../admission/expressions/admission-types.js";
import { compileAdmissionExpression } from "../../admission/expressions/compile-admission-expression.js";
import { ComposedVariables } from "../../admission/expressions/composed-variables.js";
import { oneOfIfSet, problems } from "../field-rules.js";
import { repeated } from "../repeated.js";

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const maxAnnotations = 20;
const maxExpressionBytes = 5 * 1024;

/** Problems with validations and audit annotations; `name` is the policy's. */
export function validateValidations(spec: ValidatingAdmissionPolicySpec, name: string): FieldError[] {
  const { validations = [], auditAnnotations = [], variables = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const text = "validations or auditAnnotations must contain at least one item";
    return ["spec.validations", "spec.auditAnnotations"].map((field) => fieldError.required(field, text));
  }
  const base = { params: spec.paramKind !== undefined, authorizer: true };
  const named = variables.length > 0 ? { variables: new ComposedVariables(variables, base).type } : {};
  const scope = { ...base, ...named };
  return [
    ...validations.flatMap((validation, index) =>
      validationErrors(validation, scope, `spec.validations[${index}]`),
    ),
    ...annotationErrors(auditAnnotations, scope, name),
  ];
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
  return [
    ...errors,
    ...annotations.flatMap((annotation, index) => {
      const at = `${field}[${index}]`;
      const twice = repeats.has(index);
      return [
        ...oneAnnotation(annotation, scope, name, at),
        ...(twice ? [fieldError.duplicate(`${at}.key`, annotation.key)] : []),
      ];
    }),
  ];
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
      : problems(validateQualifiedName(full), full, `${field}.key`);
  if (source === "") return [...errors, fieldError.required(at, "valueExpression is not specified")];
  if (utf8Length(source) > maxExpressionBytes)
    return [...errors, fieldError.required(at, `must not exceed ${maxExpressionBytes} bytes in length`)];
  return [...errors, ...compileErrors(source, scope, [stringType, nullType], at, valueExpression)];
}
