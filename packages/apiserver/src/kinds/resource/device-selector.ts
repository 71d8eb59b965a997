// Expressions that choose devices by their driver, attributes and capacity.
import { type DeviceSelector, type FieldError, fieldError } from "@kubewright/api";
import {
  boolType,
  CelCompileError,
  type CelField,
  type CelType,
  compileExpression,
  dynType,
  formatType,
  mapType,
  objectType,
  opaqueType,
  stringType,
} from "@kubewright/schema/engine";
import { validateList } from "./bounded-list.js";

const mostSelectors = 32;
const longestExpression = 10 * 1024;

const byDomain = (type: CelType): CelType => mapType(stringType, mapType(stringType, type));
const fields: Readonly<Record<string, CelType>> = {
  driver: stringType,
  attributes: byDomain(dynType),
  capacity: byDomain(opaqueType("kubernetes.Quantity")),
  allowMultipleAllocations: boolType,
};
const declared: ReadonlyMap<string, CelField> = new Map(
  Object.entries(fields).map(([name, type]) => [name, { name, property: name, type, required: true }]),
);
const deviceType = objectType("kubernetes.DRADevice", () => declared);

/** Problems with selectors; expressions that were stored once are not compiled again. */
export const validateDeviceSelectors = (
  selectors: readonly DeviceSelector[] | undefined,
  field: string,
  stored = false,
): FieldError[] =>
  validateList(selectors, mostSelectors, field, ({ cel }, at) => {
    if (!cel) return [fieldError.required(`${at}.cel`)];
    return stored ? [] : expressionErrors(cel.expression, `${at}.cel.expression`);
  });

function expressionErrors(expression: string, field: string): FieldError[] {
  if (expression.length > longestExpression) return [fieldError.tooLong(field, longestExpression)];
  const problem = compileProblem(expression);
  return problem === undefined ? [] : [fieldError.invalid(field, expression, problem)];
}

function compileProblem(expression: string): string | undefined {
  try {
    const { resultType } = compileExpression(expression, {
      variables: { device: deviceType },
      extensions: ["bindings"],
    });
    if (resultType.kind === "bool" || resultType.kind === "dyn") return undefined;
    return `must evaluate to bool or the unknown type, not ${formatType(resultType)}`;
  } catch (error) {
    if (error instanceof CelCompileError) return `compilation failed: ${error.message}`;
    throw error;
  }
}
