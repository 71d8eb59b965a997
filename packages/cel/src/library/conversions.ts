// `int()`, `string()`, `timestamp()` and the rest.
import { goFloat } from "@kubewright/api";
import { fixed, price, scale } from "../cost.js";
import { declare, globalOverload, type Library } from "../declarations.js";
import {
  isAny,
  isBool,
  isBytes,
  isDouble,
  isDuration,
  isInt,
  isString,
  isTimestamp,
  isUint,
  on1,
} from "../guards.js";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  paramType,
  stringType,
  timestampType,
  uintType,
} from "../types.js";
import { Double, intFromBigInt, intFromDouble, uintFromBigInt, uintFromDouble } from "../values/int.js";
import {
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  Timestamp,
} from "../values/temporal.js";
import {
  boolFromText,
  cannotConvert,
  doubleFromText,
  intFromText,
  textFromBytes,
  uintFromText,
} from "./parse-text.js";
import { argSize, walksSubject } from "./prices.js";

function required<T>(value: T | undefined, type: string): T {
  if (value === undefined) throw cannotConvert(type);
  return value;
}

const same = (value: unknown): unknown => value;

/** Both directions between text and bytes walk over the text, and change its size. */
const encodes = {
  cost: walksSubject.cost,
  estimate: (call: Parameters<typeof argSize>[0]) => {
    const size = argSize(call, 0);
    return { cost: scale(size, price.traversal), resultSize: { min: size.min, max: size.max * 4 } };
  },
};
const decodes = {
  cost: walksSubject.cost,
  estimate: (call: Parameters<typeof argSize>[0]) => {
    const size = argSize(call, 0);
    return {
      cost: scale(size, price.traversal),
      resultSize: { min: Math.floor(size.min / 4), max: size.max },
    };
  },
};

const anything = paramType("A");

const toNumber = [
  declare(
    "int",
    globalOverload("int64_to_int64", [intType], intType, on1(isInt, same)),
    globalOverload(
      "double_to_int64",
      [doubleType],
      intType,
      on1(isDouble, (a) => intFromDouble(a.value)),
    ),
    globalOverload("string_to_int64", [stringType], intType, on1(isString, intFromText)),
    globalOverload(
      "timestamp_to_int64",
      [timestampType],
      intType,
      on1(isTimestamp, (a) => a.seconds),
    ),
    globalOverload(
      "duration_to_int64",
      [durationType],
      intType,
      on1(isDuration, (a) => intFromBigInt(a.nanos)),
    ),
    globalOverload(
      "uint64_to_int64",
      [uintType],
      intType,
      on1(isUint, (a) => intFromBigInt(a.value)),
    ),
  ),
  declare(
    "uint",
    globalOverload("uint64_to_uint64", [uintType], uintType, on1(isUint, same)),
    globalOverload(
      "double_to_uint64",
      [doubleType],
      uintType,
      on1(isDouble, (a) => uintFromDouble(a.value)),
    ),
    globalOverload(
      "int64_to_uint64",
      [intType],
      uintType,
      on1(isInt, (a) => uintFromBigInt(BigInt(a))),
    ),
    globalOverload("string_to_uint64", [stringType], uintType, on1(isString, uintFromText)),
  ),
  declare(
    "double",
    globalOverload("double_to_double", [doubleType], doubleType, on1(isDouble, same)),
    globalOverload(
      "int64_to_double",
      [intType],
      doubleType,
      on1(isInt, (a) => new Double(Number(a))),
    ),
    globalOverload("string_to_double", [stringType], doubleType, on1(isString, doubleFromText)),
    globalOverload(
      "uint64_to_double",
      [uintType],
      doubleType,
      on1(isUint, (a) => new Double(Number(a.value))),
    ),
  ),
];

const toText = [
  declare(
    "string",
    globalOverload("string_to_string", [stringType], stringType, on1(isString, same)),
    globalOverload("bool_to_string", [boolType], stringType, on1(isBool, String)),
    globalOverload("bytes_to_string", [bytesType], stringType, on1(isBytes, textFromBytes), decodes),
    globalOverload(
      "double_to_string",
      [doubleType],
      stringType,
      on1(isDouble, (a) => goFloat(a.value)),
    ),
    globalOverload("duration_to_string", [durationType], stringType, on1(isDuration, formatDuration)),
    globalOverload("int64_to_string", [intType], stringType, on1(isInt, String)),
    globalOverload("timestamp_to_string", [timestampType], stringType, on1(isTimestamp, formatTimestamp)),
    globalOverload(
      "uint64_to_string",
      [uintType],
      stringType,
      on1(isUint, (a) => String(a.value)),
    ),
  ),
  declare(
    "bytes",
    globalOverload("bytes_to_bytes", [bytesType], bytesType, on1(isBytes, same)),
    globalOverload(
      "string_to_bytes",
      [stringType],
      bytesType,
      on1(isString, (text) => new TextEncoder().encode(text)),
      encodes,
    ),
  ),
  declare(
    "bool",
    globalOverload("bool_to_bool", [boolType], boolType, on1(isBool, same)),
    globalOverload("string_to_bool", [stringType], boolType, on1(isString, boolFromText)),
  ),
];

const toTime = [
  declare(
    "duration",
    globalOverload("duration_to_duration", [durationType], durationType, on1(isDuration, same)),
    globalOverload(
      "string_to_duration",
      [stringType],
      durationType,
      on1(isString, (text) => required(parseDuration(text), "google.protobuf.Duration")),
    ),
  ),
  declare(
    "timestamp",
    globalOverload("timestamp_to_timestamp", [timestampType], timestampType, on1(isTimestamp, same)),
    globalOverload(
      "int64_to_timestamp",
      [intType],
      timestampType,
      on1(isInt, (a) => new Timestamp(Number(a), 0)),
    ),
    globalOverload(
      "string_to_timestamp",
      [stringType],
      timestampType,
      on1(isString, (text) => required(parseTimestamp(text), "google.protobuf.Timestamp")),
    ),
  ),
];

/** Conversions, and `dyn`. */
export const conversionLibrary: Library = {
  functions: [
    ...toNumber,
    ...toText,
    ...toTime,
    declare(
      "dyn",
      globalOverload("to_dyn", [anything], dynType, on1(isAny, same), {
        estimate: (call) => ({
          cost: fixed(1),
          resultSize: call.args[0]?.computedSize,
        }),
      }),
    ),
  ],
};
