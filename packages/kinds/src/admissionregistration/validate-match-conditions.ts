// Match conditions: at most 64, each with a name and an expression that compiles to a truth value.
import { type FieldError, fieldError, type MatchCondition, validateQualifiedName } from "@kubewright/api";
import { boolType } from "@kubewright/cel";
import { compileAdmissionExpression } from "../admission-expressions/compile-admission-expression.js";
import { invalidBecause } from "../field-rules.js";
import { repeated } from "../repeated.js";

const most = 64;

/** Problems with conditions; compiling them takes time. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  params: boolean,
  field: string,
): FieldError[] {
  const repeats = repeated(conditions.map(({ name }) => name));
  const errors = conditions.length > most ? [fieldError.tooMany(field, conditions.length, most)] : [];
  for (const [index, condition] of conditions.entries()) {
    const at = `${field}[${index}]`;
    errors.push(...conditionErrors(condition, params, at));
    if (condition.name !== "" && repeats.has(index))
      errors.push(fieldError.duplicate(`${at}.name`, condition.name));
  }
  return errors;
}

function conditionErrors({ name, expression }: MatchCondition, params: boolean, field: string): FieldError[] {
  const source = expression.trim();
  const errors = source === "" ? [fieldError.required(`${field}.expression`)] : [];
  const { error } =
    source === ""
      ? { error: undefined }
      : compileAdmissionExpression(source, { params, authorizer: true }, [boolType]);
  if (error !== undefined) errors.push(fieldError.invalid(`${field}.expression`, source, error));
  return [
    ...errors,
    ...(name === ""
      ? [fieldError.required(`${field}.name`)]
      : invalidBecause(validateQualifiedName(name), name, `${field}.name`)),
  ];
}
