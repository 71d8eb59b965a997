// `quantity('1.5Gi')` and its arithmetic.
import { Amount, isQuantity } from "@kubewright/api";
import { declare, globalOverload, type Invoke, type Library, memberOverload } from "../declarations.js";
import { type Int, isInt, isString, on1, on2 } from "../guards.js";
import { boolType, doubleType, intType, opaqueType, stringType } from "../types.js";
import { CelFailure } from "../values/failure.js";
import { Double, fromBigInt } from "../values/int.js";
import { OpaqueValue } from "../values/opaque.js";
import { walksArgument } from "./prices.js";
import { typeConstant } from "./type-names.js";

class QuantityValue extends OpaqueValue {
  readonly typeName = "kubernetes.Quantity";
  readonly amount: Amount;

  constructor(amount: Amount) {
    super();
    this.amount = amount;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && other.amount.equals(this.amount);
  }
}

const quantityType = opaqueType("kubernetes.Quantity");
const isAmount = (value: unknown): value is QuantityValue => value instanceof QuantityValue;

function toQuantity(text: string): QuantityValue {
  try {
    return new QuantityValue(Amount.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CelFailure(error.message);
    throw error;
  }
}

function asInteger({ amount }: QuantityValue): Int {
  const value = amount.toInt64();
  const int = value === undefined ? undefined : fromBigInt(value);
  if (int === undefined) throw new CelFailure("cannot convert value to integer");
  return int;
}

/** Amounts too far apart to be added fail like an overflow. */
function exactly(compute: () => Amount): QuantityValue {
  try {
    return new QuantityValue(compute());
  } catch (error) {
    if (error instanceof RangeError) throw new CelFailure(error.message);
    throw error;
  }
}

const toAmount = (value: Int): Amount => Amount.of(BigInt(value));
const pair = [quantityType, quantityType];
const comparison = (test: (order: number) => unknown): Invoke =>
  on2(isAmount, isAmount, (a, b) => test(a.amount.compare(b.amount)));

function arithmetic(name: string, run: (a: Amount, b: Amount) => Amount) {
  return declare(
    name,
    memberOverload(
      `quantity_${name}`,
      pair,
      quantityType,
      on2(isAmount, isAmount, (a, b) => exactly(() => run(a.amount, b.amount))),
    ),
    memberOverload(
      `quantity_${name}_int`,
      [quantityType, intType],
      quantityType,
      on2(isAmount, isInt, (a, b) => exactly(() => run(a.amount, toAmount(b)))),
    ),
  );
}

/** Kubernetes' quantity functions. */
export const quantityLibrary: Library = {
  functions: [
    declare(
      "quantity",
      globalOverload(
        "string_to_quantity",
        [stringType],
        quantityType,
        on1(isString, toQuantity),
        walksArgument,
      ),
    ),
    declare(
      "isQuantity",
      globalOverload("is_quantity_string", [stringType], boolType, on1(isString, isQuantity), walksArgument),
    ),
    declare(
      "sign",
      globalOverload(
        "quantity_sign",
        [quantityType],
        intType,
        on1(isAmount, ({ amount }) => amount.sign()),
      ),
    ),
    declare(
      "isGreaterThan",
      memberOverload(
        "quantity_is_greater_than",
        pair,
        boolType,
        comparison((order) => order > 0),
      ),
    ),
    declare(
      "isLessThan",
      memberOverload(
        "quantity_is_less_than",
        pair,
        boolType,
        comparison((order) => order < 0),
      ),
    ),
    declare(
      "compareTo",
      memberOverload(
        "quantity_compare_to",
        pair,
        intType,
        comparison((order) => order),
      ),
    ),
    declare(
      "asApproximateFloat",
      memberOverload(
        "quantity_get_float",
        [quantityType],
        doubleType,
        on1(isAmount, ({ amount }) => new Double(amount.toNumber())),
      ),
    ),
    declare(
      "asInteger",
      memberOverload("quantity_get_int", [quantityType], intType, on1(isAmount, asInteger)),
    ),
    declare(
      "isInteger",
      memberOverload(
        "quantity_is_integer",
        [quantityType],
        boolType,
        on1(isAmount, ({ amount }) => amount.toInt64() !== undefined),
      ),
    ),
    arithmetic("add", (a, b) => a.add(b)),
    arithmetic("sub", (a, b) => a.subtract(b)),
  ],
  constants: [typeConstant(quantityType)],
};
