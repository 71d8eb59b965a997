// Equality, order and logic. Logic is compiled, not called; its declarations are here for the checker.
import { type CallEstimate, type CallSite, fixed, price, scale, union } from "../cost.js";
import {
  type Costs,
  declare,
  globalOverload,
  type Invoke,
  type Library,
  type Overload,
} from "../declarations.js";
import {
  type Guard,
  isAny,
  isBool,
  isBytes,
  isDouble,
  isDuration,
  isInt,
  isString,
  isTimestamp,
  isUint,
  on2,
} from "../guards.js";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  paramType,
  stringType,
  timestampType,
  uintType,
} from "../types.js";
import { compare, equals } from "../values/equality.js";
import { noSuchOverload } from "../values/failure.js";
import { sizeOf } from "../values/value.js";
import { argSize } from "./prices.js";

const anything = paramType("A");

/** Types whose values Kubernetes compares in one step. */
const oneStep: ReadonlySet<string> = new Set([
  "kubernetes.Quantity",
  "kubernetes.Semver",
  "kubernetes.NamedFormat",
  "net.IP",
  "net.CIDR",
]);

function shorterEstimate(call: CallSite): CallEstimate {
  const max = Math.min(argSize(call, 0).max, argSize(call, 1).max);
  return { cost: scale({ min: max > 0 ? 1 : 0, max }, price.traversal) };
}

/** Compares as far as the shorter reaches. */
const shorter: Costs = {
  cost: ([a, b]) => Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * price.traversal),
  estimate: shorterEstimate,
};

function equalsEstimate(call: CallSite): CallEstimate {
  const [a, b] = call.args;
  if (a?.typeName === b?.typeName && a !== undefined && b !== undefined) {
    if (oneStep.has(a.typeName)) return { cost: fixed(1) };
    if (a.typeName === "kubernetes.URL") {
      const size = b.computedSize === undefined ? fixed(1) : union(b.computedSize, b.computedSize);
      return { cost: scale({ min: 1, max: size.max }, price.traversal) };
    }
  }
  return shorterEstimate(call);
}

const compiled: Invoke = () => {
  throw noSuchOverload();
};

/** The types that have an order, ints first: most comparisons of unknown types turn out to be of ints. */
const numbers: readonly Ordered[] = [
  { type: intType, guard: isInt },
  { type: uintType, guard: isUint },
  { type: doubleType, guard: isDouble },
];
const others: readonly Ordered[] = [
  { type: stringType, guard: isString },
  { type: boolType, guard: isBool },
  { type: timestampType, guard: isTimestamp },
  { type: durationType, guard: isDuration },
  { type: bytesType, guard: isBytes },
];

interface Ordered {
  readonly type: CelType;
  readonly guard: Guard<unknown>;
}

function order(name: string, verb: string, test: (comparison: number) => boolean) {
  const overload = (a: Ordered, b: Ordered): Overload => {
    const id = a === b ? `${verb}_${a.type.kind}` : `${verb}_${a.type.kind}_${b.type.kind}`;
    const costs = a.type.kind === "string" || a.type.kind === "bytes" ? shorter : {};
    const invoke = on2(a.guard, b.guard, (x, y) => test(compare(x, y)));
    return globalOverload(id, [a.type, b.type], boolType, invoke, costs);
  };
  const mixed = numbers.flatMap((a) => numbers.map((b) => overload(a, b)));
  return declare(name, ...mixed, ...others.map((one) => overload(one, one)));
}

const logic = (id: string, args: readonly CelType[]): Overload =>
  globalOverload(id, args, boolType, compiled);

/** Equality, order and logic of CEL. */
export const comparisonLibrary: Library = {
  functions: [
    declare(
      "_==_",
      globalOverload(
        "equals",
        [anything, anything],
        boolType,
        on2(isAny, isAny, (a, b, meter) => equals(a, b, meter)),
        { ...shorter, estimate: equalsEstimate },
      ),
    ),
    declare(
      "_!=_",
      globalOverload(
        "not_equals",
        [anything, anything],
        boolType,
        on2(isAny, isAny, (a, b, meter) => !equals(a, b, meter)),
        shorter,
      ),
    ),
    order("_<_", "less", (comparison) => comparison < 0),
    order("_<=_", "less_equals", (comparison) => comparison <= 0),
    order("_>_", "greater", (comparison) => comparison > 0),
    order("_>=_", "greater_equals", (comparison) => comparison >= 0),
    declare("_&&_", logic("logical_and", [boolType, boolType])),
    declare("_||_", logic("logical_or", [boolType, boolType])),
    declare("!_", logic("logical_not", [boolType])),
    declare("@not_strictly_false", logic("not_strictly_false", [boolType])),
    declare("_?_:_", globalOverload("conditional", [boolType, anything, anything], anything, compiled)),
  ],
};
