// `list[i]`, `map[key]` and their optional forms.
import type { Expr } from "./ast.js";
import type { Compiler } from "./compile.js";
import { price } from "./cost.js";
import type { Code, Run } from "./frame.js";
import { CelFailure } from "./values/failure.js";
import { Double, isInt, Uint } from "./values/int.js";
import { isList, listGet, listSize } from "./values/list.js";
import { mapGet } from "./values/map.js";
import { Optional } from "./values/optional.js";
import { isMap, typeNameOf } from "./values/value.js";

/** Compiles `a[b]` and `a[?b]`. */
export function compileIndex(
  compiler: Compiler,
  operandExpr: Expr,
  indexExpr: Expr,
  optional: boolean,
): Code {
  const operand = compiler.compile(operandExpr);
  const index = compiler.compile(indexExpr);
  const { run: container } = operand;
  const { run: key } = index;
  const run: Run = optional
    ? (frame) => optionalAt(container(frame), key(frame))
    : (frame) => at(container(frame), key(frame));
  return { run, cost: operand.cost + index.cost + price.identOrSelect };
}

function at(container: unknown, key: unknown): unknown {
  if (container instanceof Optional) return optionalAt(container, key);
  const value = find(container, key);
  if (value !== undefined) return value;
  if (isList(container)) throw new CelFailure(`index out of bounds: ${String(position(key))}`);
  throw new CelFailure(`no such key: ${keyText(key)}`);
}

function optionalAt(container: unknown, key: unknown): Optional {
  const held = container instanceof Optional ? container.value : container;
  if (container instanceof Optional && !container.hasValue) return Optional.none;
  const value = find(held, key);
  return value === undefined ? Optional.none : Optional.of(value);
}

/** The element or entry, or undefined when there is none, as in what is neither a list nor a map. */
function find(container: unknown, key: unknown): unknown {
  if (isList(container)) {
    const index = position(key);
    return typeof index === "number" && index >= 0 && index < listSize(container)
      ? listGet(container, index)
      : undefined;
  }
  return isMap(container) ? mapGet(container, key) : undefined;
}

function position(key: unknown): number | bigint {
  if (isInt(key)) return key;
  if (key instanceof Uint) return Number(key.value);
  if (key instanceof Double && Number.isSafeInteger(key.value)) return key.value;
  if (key instanceof Double) throw new CelFailure(`unsupported index value ${key.value} in list`);
  throw new CelFailure(`unsupported index type '${typeNameOf(key)}' in list`);
}

function keyText(key: unknown): string {
  return key instanceof Double || key instanceof Uint ? String(key.value) : String(key);
}
