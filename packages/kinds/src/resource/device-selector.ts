// Expressions that choose devices by their driver, attributes and capacity.
import { type DeviceSelector, type FieldError, fieldError } from "@kubewright/api";
import {
  boolType,
  CelCompileError,
  type CelField,
  type CelProgram,
  type CelType,
  compileExpression,
  dynType,
  formatType,
  mapType,
  objectType,
  opaqueType,
  stringType,
} from "@kubewright/cel";
import { validateList } from "./bounded-list.js";

const mostSelectors = 32;
const longestExpression = 10 * 1024;

/** The cost limit of an expression for one device. */
const mostCost = 1_000_000;

/** The most attributes or capacities of a device, and how long names and values are at most. */
const mostEntries = 32;
const text = (maxElements: number): CelType => ({ ...stringType, maxElements });
const attributeType: CelType = { ...dynType, maxElements: 64 };

const byDomain = (type: CelType): CelType => {
  const own = { ...mapType(text(32), type, mostEntries), sizesEveryEntry: type === attributeType };
  return mapType(text(63), own, mostEntries);
};
const fields: Readonly<Record<string, CelType>> = {
  driver: text(63),
  attributes: byDomain(attributeType),
  capacity: byDomain(opaqueType("kubernetes.Quantity")),
  // Of this field, which came later than the rest, the real estimate knows no more than that it is one value.
  allowMultipleAllocations: { ...boolType, maxElements: 1 },
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
  try {
    const { resultType, cost } = compileSelector(expression);
    if (resultType.kind !== "bool" && resultType.kind !== "dyn") {
      const problem = `must evaluate to bool or the unknown type, not ${formatType(resultType)}`;
      return [fieldError.invalid(field, expression, problem)];
    }
    return cost.max > mostCost ? [fieldError.forbidden(field, "too complex, exceeds cost limit")] : [];
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return [fieldError.invalid(field, expression, `compilation failed: ${error.message}`)];
  }
}

/** An expression about a device, with what it may cost. */
export const compileSelector = (expression: string): CelProgram =>
  compileExpression(expression, { variables: { device: deviceType }, extensions: ["bindings"] });
