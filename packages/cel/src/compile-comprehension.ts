// Loops. Each purpose gets a loop of its own that spends what the language's expansion of it would spend, step by step, without
// building the intermediate lists that expansion describes.
import type { ComprehensionExpr, Expr } from "./ast.js";
import type { Compiler } from "./compile.js";
import { price } from "./cost.js";
import { type Code, type Frame, type Run, tolerate, totalCost } from "./frame.js";
import { CelFailure, noSuchOverload } from "./values/failure.js";
import { adapt } from "./values/json.js";
import { isList, listGet, listSize } from "./values/list.js";
import { CelMap, mapGet, mapKeys, stepsPerKey } from "./values/map.js";
import { goTypeOf, isMap } from "./values/value.js";

/** Calls `visit` for every element with the loop variables set, until it returns false. */
type Loop = (frame: Frame, visit: (frame: Frame, isLast: boolean) => boolean) => void;

/** The price of one call of an operator. */
const call = 1;

/** Compiles a macro over a list or map to a loop of its own */
export function compileComprehension(compiler: Compiler, expr: ComprehensionExpr): Code {
  const { purpose } = expr;
  if (purpose.kind === "bind") return compileBind(compiler, expr.accumulator, purpose.value, purpose.body);
  const range = compiler.compile(expr.range);
  const first = compiler.declare(expr.variable);
  const second = expr.variable2 === undefined ? undefined : compiler.declare(expr.variable2);
  const loop = second === undefined ? loopOver(range.run, first) : loopOverTwo(range.run, first, second);
  const body = compileBody(compiler, expr, loop, first);
  compiler.forget(expr.variable);
  if (expr.variable2 !== undefined) compiler.forget(expr.variable2);
  return { run: body.run, cost: range.cost + body.cost };
}

function compileBody(compiler: Compiler, expr: ComprehensionExpr, loop: Loop, first: number): Code {
  const { purpose } = expr;
  switch (purpose.kind) {
    case "all":
    case "exists":
      return quantifier(compiler.compile(purpose.predicate), loop, purpose.kind === "all");
    case "existsOne":
      return existsOne(compiler.compile(purpose.predicate), loop);
    case "list":
      return collectList(compiler, purpose, loop);
    case "map":
    case "mapEntry":
      return collectMap(compiler, purpose, loop, purpose.kind === "map" ? first : undefined);
    default:
      throw new RangeError("a binding is no loop");
  }
}

function compileBind(compiler: Compiler, name: string, valueExpr: Expr, bodyExpr: Expr): Code {
  const value = compiler.compile(valueExpr);
  const slot = compiler.declare(name);
  const body = compiler.compile(bodyExpr);
  compiler.forget(name);
  const run: Run = (frame) => {
    frame.slots[slot] = value.run(frame);
    return body.run(frame);
  };
  return { run, cost: price.list + totalCost([value, body]) };
}

/** One variable: the elements of a list, the keys of a map. */
function loopOver(range: Run, slot: number): Loop {
  return (frame, visit) => {
    const over = range(frame);
    const list = Array.isArray(over) || isList(over) ? over : keysOf(over, frame, notIterable);
    const size = listSize(list);
    const { slots } = frame;
    for (let index = 0; index < size; index += 1) {
      slots[slot] = Array.isArray(list) ? adapt(list[index]) : listGet(list, index);
      if (!visit(frame, index === size - 1)) return;
    }
  };
}

/** Two variables: index and element, or key and value. */
function loopOverTwo(range: Run, first: number, second: number): Loop {
  return (frame, visit) => {
    const over = range(frame);
    const keys = isList(over) ? undefined : keysOf(over, frame, noRange);
    const size = isList(over) ? listSize(over) : (keys?.length ?? 0);
    for (let index = 0; index < size; index += 1) {
      frame.slots[first] = keys === undefined ? index : keys[index];
      frame.slots[second] = isList(over) ? listGet(over, index) : entryOf(over, keys?.[index]);
      if (!visit(frame, index === size - 1)) return;
    }
  };
}

const notIterable = (over: unknown): string => `got '${goTypeOf(over)}', expected iterable type`;
const noRange = (over: unknown): string => `unsupported comprehension range type: ${goTypeOf(over)}`;

function keysOf(over: unknown, frame: Frame, refusal: (over: unknown) => string): readonly unknown[] {
  if (!isMap(over)) throw new CelFailure(refusal(over));
  const keys = mapKeys(over);
  frame.meter.work(keys.length * stepsPerKey);
  return keys;
}

function entryOf(over: unknown, key: unknown): unknown {
  return isMap(over) ? (mapGet(over, key) ?? null) : null;
}

/**
 * `all` ends at the first false, `exists` at the first true. A failure counts only when no other element decides.
 */
function quantifier(predicate: Code, loop: Loop, isAll: boolean): Code {
  const condition = isAll ? call + price.identOrSelect : 2 * call + price.identOrSelect;
  const perElement = condition + price.identOrSelect + predicate.cost;
  const { run: test } = predicate;
  const run: Run = (frame) => {
    const { meter } = frame;
    let result = isAll;
    let failure: unknown;
    loop(frame, (current, isLast) => {
      meter.spend(perElement);
      try {
        const value = test(current);
        if (value === !isAll) {
          result = !isAll;
          if (!isLast) meter.spend(condition);
          return false;
        }
        if (value !== isAll) failure ??= noSuchOverload();
      } catch (problem) {
        const tolerated = tolerate(problem, current);
        failure ??= tolerated;
      }
      return true;
    });
    if (result === isAll && failure !== undefined) throw failure;
    return result;
  };
  return { run, cost: price.identOrSelect };
}

function existsOne(predicate: Code, loop: Loop): Code {
  const run: Run = (frame) => {
    let count = 0;
    loop(frame, (current) => {
      current.meter.spend(predicate.cost + price.identOrSelect);
      if (!holds(predicate.run(current))) return true;
      current.meter.spend(call);
      count += 1;
      return true;
    });
    return count === 1;
  };
  return { run, cost: call + price.identOrSelect };
}

function holds(value: unknown): boolean {
  if (typeof value !== "boolean") throw noSuchOverload();
  return value;
}

interface Collect {
  readonly filter: Expr | undefined;
  readonly transform: Expr;
}

/** Runs `add` for the elements that pass the filter, and spends what passing and failing cost. */
function collector(compiler: Compiler, { filter, transform }: Collect, loop: Loop, addCost: number) {
  const test = filter === undefined ? undefined : compiler.compile(filter);
  const value = compiler.compile(transform);
  const kept = price.identOrSelect + value.cost + addCost;
  return (frame: Frame, add: (frame: Frame, value: unknown) => void): void => {
    loop(frame, (current) => {
      if (test !== undefined) {
        current.meter.spend(test.cost);
        if (!holds(test.run(current))) {
          current.meter.spend(price.identOrSelect);
          return true;
        }
      }
      current.meter.spend(kept);
      add(current, value.run(current));
      return true;
    });
  };
}

function collectList(compiler: Compiler, purpose: Collect, loop: Loop): Code {
  const collect = collector(compiler, purpose, loop, call + price.list);
  const run: Run = (frame) => {
    const list: unknown[] = [];
    collect(frame, (_frame, value) => list.push(value));
    return list;
  };
  return { run, cost: price.list + price.identOrSelect };
}

/** With a key slot, the transform is the value; without, it is a map of entries to add. */
function collectMap(compiler: Compiler, purpose: Collect, loop: Loop, keySlot: number | undefined): Code {
  const keyCost = keySlot === undefined ? 0 : price.identOrSelect;
  const collect = collector(compiler, purpose, loop, call + keyCost);
  const run: Run = (frame) => {
    const map = new CelMap();
    collect(frame, (current, value) => {
      if (keySlot !== undefined) return map.insert(current.slots[keySlot], value);
      if (!isMap(value)) throw noSuchOverload();
      for (const key of mapKeys(value)) map.insert(key, mapGet(value, key));
    });
    return map;
  };
  return { run, cost: price.map + price.identOrSelect };
}
