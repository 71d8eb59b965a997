// `+ - * / %` and negation.
import { add, price, scale } from "../cost.js";
import { declare, globalOverload, type Invoke, type Library } from "../declarations.js";
import {
  isBytes,
  isDouble,
  isDuration,
  isInt,
  isList,
  isString,
  isTimestamp,
  isUint,
  on1,
  on2,
} from "../guards.js";
import {
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  paramType,
  stringType,
  timestampType,
  uintType,
} from "../types.js";
import {
  addInt,
  addUint,
  Double,
  divideInt,
  divideUint,
  moduloInt,
  moduloUint,
  multiplyInt,
  multiplyUint,
  negateInt,
  subtractInt,
  subtractUint,
} from "../values/int.js";
import { concat } from "../values/list.js";
import { Duration, Timestamp } from "../values/temporal.js";
import { sizeOf } from "../values/value.js";
import { argSize } from "./prices.js";

const double = (run: (a: number, b: number) => number): Invoke =>
  on2(isDouble, isDouble, (a, b) => new Double(run(a.value, b.value)));

const onTwo = (id: string, type: CelType, invoke: Invoke) => globalOverload(id, [type, type], type, invoke);

/** A new text or list as long as both together. */
const joined = {
  cost: ([a, b]: readonly unknown[]) => Math.ceil((sizeOf(a) + sizeOf(b)) * price.traversal),
  estimate: (call: Parameters<typeof argSize>[0]) => {
    const resultSize = add(argSize(call, 0), argSize(call, 1));
    return { cost: scale(resultSize, price.traversal), resultSize };
  },
};

function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

const after = (time: Timestamp, by: bigint): Timestamp => Timestamp.fromTotal(time.total + by);
const lists = listType(paramType("A"));

const plus = declare(
  "_+_",
  onTwo("add_int64", intType, on2(isInt, isInt, addInt)),
  globalOverload("add_bytes", [bytesType, bytesType], bytesType, on2(isBytes, isBytes, concatBytes), joined),
  onTwo(
    "add_double",
    doubleType,
    double((a, b) => a + b),
  ),
  onTwo(
    "add_duration_duration",
    durationType,
    on2(isDuration, isDuration, (a, b) => new Duration(a.nanos + b.nanos)),
  ),
  globalOverload(
    "add_duration_timestamp",
    [durationType, timestampType],
    timestampType,
    on2(isDuration, isTimestamp, (a, b) => after(b, a.nanos)),
  ),
  globalOverload(
    "add_timestamp_duration",
    [timestampType, durationType],
    timestampType,
    on2(isTimestamp, isDuration, (a, b) => after(a, b.nanos)),
  ),
  globalOverload("add_list", [lists, lists], lists, on2(isList, isList, concat), {
    // Lists are put together in one step, whatever their size.
    estimate: (call) => ({ cost: { min: 1, max: 1 }, resultSize: add(argSize(call, 0), argSize(call, 1)) }),
  }),
  globalOverload(
    "add_string",
    [stringType, stringType],
    stringType,
    on2(isString, isString, (a, b) => a + b),
    joined,
  ),
  onTwo("add_uint64", uintType, on2(isUint, isUint, addUint)),
);

const minus = declare(
  "_-_",
  onTwo("subtract_int64", intType, on2(isInt, isInt, subtractInt)),
  onTwo(
    "subtract_double",
    doubleType,
    double((a, b) => a - b),
  ),
  onTwo(
    "subtract_duration_duration",
    durationType,
    on2(isDuration, isDuration, (a, b) => new Duration(a.nanos - b.nanos)),
  ),
  globalOverload(
    "subtract_timestamp_duration",
    [timestampType, durationType],
    timestampType,
    on2(isTimestamp, isDuration, (a, b) => after(a, -b.nanos)),
  ),
  globalOverload(
    "subtract_timestamp_timestamp",
    [timestampType, timestampType],
    durationType,
    on2(isTimestamp, isTimestamp, (a, b) => new Duration(a.total - b.total)),
  ),
  onTwo("subtract_uint64", uintType, on2(isUint, isUint, subtractUint)),
);

/** The operators of CEL on numbers, times, texts and lists. */
export const arithmeticLibrary: Library = {
  functions: [
    plus,
    minus,
    declare(
      "_*_",
      onTwo("multiply_int64", intType, on2(isInt, isInt, multiplyInt)),
      onTwo(
        "multiply_double",
        doubleType,
        double((a, b) => a * b),
      ),
      onTwo("multiply_uint64", uintType, on2(isUint, isUint, multiplyUint)),
    ),
    declare(
      "_/_",
      onTwo("divide_int64", intType, on2(isInt, isInt, divideInt)),
      onTwo(
        "divide_double",
        doubleType,
        double((a, b) => a / b),
      ),
      onTwo("divide_uint64", uintType, on2(isUint, isUint, divideUint)),
    ),
    declare(
      "_%_",
      onTwo("modulo_int64", intType, on2(isInt, isInt, moduloInt)),
      onTwo("modulo_uint64", uintType, on2(isUint, isUint, moduloUint)),
    ),
    declare(
      "-_",
      globalOverload(
        "negate_double",
        [doubleType],
        doubleType,
        on1(isDouble, (a) => new Double(-a.value)),
      ),
      globalOverload("negate_int64", [intType], intType, on1(isInt, negateInt)),
    ),
  ],
};
