// CEL's math extension. Kubernetes does not have it; it is there for expressions that never leave this process.
import {
  declare,
  type FunctionDeclaration,
  globalOverload,
  type Invoke,
  type Library,
  type Overload,
} from "../declarations.js";
import { isAny, isDouble, isInt, isList, isUint, mismatch, on1, on2 } from "../guards.js";
import { boolType, type CelType, doubleType, dynType, intType, listType, uintType } from "../types.js";
import { compare } from "../values/equality.js";
import { CelFailure, noSuchOverload } from "../values/failure.js";
import { Double, type Int, intFromBigInt, negateInt, Uint, uintFromBigInt } from "../values/int.js";
import { listValues } from "../values/list.js";

const numbers = [intType, uintType, doubleType];

function best(values: readonly unknown[], isBetter: (comparison: number) => boolean): unknown {
  const [first, ...rest] = values;
  if (first === undefined) throw new CelFailure("list must not be empty");
  for (const value of values) if (!isInt(value) && !isUint(value) && !isDouble(value)) throw noSuchOverload();
  return rest.reduce((chosen, value) => (isBetter(compare(value, chosen)) ? value : chosen), first);
}

/** `math.greatest(a, b, …)` of two to four numbers, of one, or of a list. */
function chooser(name: string, isBetter: (comparison: number) => boolean): FunctionDeclaration {
  const invoke: Invoke = (args, meter) => {
    const [first] = args;
    return best(args.length === 1 && isList(first) ? listValues(first, meter) : args, isBetter);
  };
  const overloads: Overload[] = [];
  for (const a of numbers) {
    overloads.push(globalOverload(`${name}_${a.kind}`, [a], a, invoke));
    overloads.push(globalOverload(`${name}_list_${a.kind}`, [listType(a)], a, invoke));
    for (const b of numbers) {
      overloads.push(globalOverload(`${name}_${a.kind}_${b.kind}`, [a, b], a === b ? a : dynType, invoke));
    }
  }
  overloads.push(globalOverload(`${name}_3`, [dynType, dynType, dynType], dynType, invoke));
  overloads.push(globalOverload(`${name}_4`, [dynType, dynType, dynType, dynType], dynType, invoke));
  return declare(name, ...overloads);
}

const onDouble = (name: string, run: (value: number) => number): FunctionDeclaration =>
  declare(
    name,
    globalOverload(
      `${name}_double`,
      [doubleType],
      doubleType,
      on1(isDouble, ({ value }) => new Double(run(value))),
    ),
  );

const testDouble = (name: string, test: (value: number) => boolean): FunctionDeclaration =>
  declare(
    name,
    globalOverload(
      `${name}_double`,
      [doubleType],
      boolType,
      on1(isDouble, ({ value }) => test(value)),
    ),
  );

/** Halves go away from zero. */
const round = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

const toNumber = (value: unknown): number =>
  isInt(value) ? Number(value) : isUint(value) || isDouble(value) ? Number(value.value) : Number.NaN;

const bits = (name: string, run: (a: bigint, b: bigint) => bigint): FunctionDeclaration =>
  declare(
    name,
    globalOverload(
      `${name}_int_int`,
      [intType, intType],
      intType,
      on2(isInt, isInt, (a, b) => intFromBigInt(BigInt.asIntN(64, run(BigInt(a), BigInt(b))))),
    ),
    globalOverload(
      `${name}_uint_uint`,
      [uintType, uintType],
      uintType,
      on2(isUint, isUint, (a, b) => uintFromBigInt(run(a.value, b.value))),
    ),
  );

/** Shifts work on the 64 bits of a number; a shift beyond them leaves nothing. */
function shift(name: string, run: (value: bigint, by: bigint) => bigint): FunctionDeclaration {
  const distance = (by: Int): bigint => {
    if (by < 0) throw new CelFailure(`${name}() negative offset: ${by}`);
    return by > 63 ? 64n : BigInt(by);
  };
  return declare(
    name,
    globalOverload(
      `${name}_int_int`,
      [intType, intType],
      intType,
      on2(isInt, isInt, (a, by) =>
        intFromBigInt(BigInt.asIntN(64, run(BigInt.asUintN(64, BigInt(a)), distance(by)))),
      ),
    ),
    globalOverload(
      `${name}_uint_int`,
      [uintType, intType],
      uintType,
      on2(isUint, isInt, (a, by) => new Uint(BigInt.asUintN(64, run(a.value, distance(by))))),
    ),
  );
}

/** The same function on the three kinds of numbers. */
function onNumbers(
  name: string,
  ofInt: (value: Int) => Int,
  ofDouble: (value: number) => number,
  ofUint: (value: bigint) => bigint,
): FunctionDeclaration {
  const overload = (type: CelType, invoke: Invoke): Overload =>
    globalOverload(`${name}_${type.kind}`, [type], type, invoke);
  return declare(
    name,
    overload(
      doubleType,
      on1(isDouble, ({ value }) => new Double(ofDouble(value))),
    ),
    overload(intType, on1(isInt, ofInt)),
    overload(
      uintType,
      on1(isUint, ({ value }) => new Uint(ofUint(value))),
    ),
  );
}

const sqrt = numbers.map((type) =>
  globalOverload(
    `math_sqrt_${type.kind}`,
    [type],
    doubleType,
    on1(isAny, (value) => {
      const number = toNumber(value);
      return Number.isNaN(number) && !isDouble(value) ? mismatch : new Double(Math.sqrt(number));
    }),
  ),
);

/** `math.greatest`, `math.ceil`, `math.bitAnd` and so on. */
export const mathLibrary: Library = {
  functions: [
    chooser("math.greatest", (comparison) => comparison > 0),
    chooser("math.least", (comparison) => comparison < 0),
    onDouble("math.ceil", Math.ceil),
    onDouble("math.floor", Math.floor),
    onDouble("math.trunc", Math.trunc),
    onDouble("math.round", round),
    testDouble("math.isNaN", Number.isNaN),
    testDouble("math.isFinite", Number.isFinite),
    testDouble(
      "math.isInf",
      (value) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY,
    ),
    onNumbers(
      "math.abs",
      (value) => (value < 0 ? negateInt(value) : value),
      Math.abs,
      (value) => value,
    ),
    onNumbers(
      "math.sign",
      (value) => (value > 0 ? 1 : value < 0 ? -1 : 0),
      Math.sign,
      (value) => (value > 0n ? 1n : 0n),
    ),
    bits("math.bitAnd", (a, b) => a & b),
    bits("math.bitOr", (a, b) => a | b),
    bits("math.bitXor", (a, b) => a ^ b),
    declare(
      "math.bitNot",
      globalOverload(
        "math.bitNot_int_int",
        [intType],
        intType,
        on1(isInt, (a) => intFromBigInt(~BigInt(a))),
      ),
      globalOverload(
        "math.bitNot_uint_uint",
        [uintType],
        uintType,
        on1(isUint, ({ value }) => new Uint(BigInt.asUintN(64, ~value))),
      ),
    ),
    shift("math.bitShiftLeft", (value, by) => value << by),
    shift("math.bitShiftRight", (value, by) => value >> by),
    declare("math.sqrt", ...sqrt),
  ],
};
