// Turns a checked tree into closures. Types decide here, once, what the closures do: a field that the schema says is an int is
// read as an int, an addition of two ints adds numbers.
import type { CallExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from "./ast.js";
import type { CheckedExpr } from "./checker.js";
import { compileCall } from "./compile-call.js";
import { compileComprehension } from "./compile-comprehension.js";
import { compileSelect } from "./compile-select.js";
import { price } from "./cost.js";
import { type Code, type Run, totalCost } from "./frame.js";
import { CelFailure, noSuchOverload } from "./values/failure.js";
import { CelMap, StructMap } from "./values/map.js";
import { Optional } from "./values/optional.js";
import { kindOf } from "./values/value.js";

/** The slots of variables while compiling; loops add theirs and take them away again. */
export class Compiler {
  readonly checked: CheckedExpr;
  readonly #slots = new Map<string, number[]>();
  #count = 0;

  constructor(checked: CheckedExpr, variables: readonly string[]) {
    this.checked = checked;
    for (const name of variables) this.declare(name);
  }

  declare(name: string): number {
    const slot = this.#count;
    this.#count += 1;
    this.#slots.set(name, [...(this.#slots.get(name) ?? []), slot]);
    return slot;
  }

  forget(name: string): void {
    this.#slots.get(name)?.pop();
  }

  slotOf(name: string): number {
    const slot = this.#slots.get(name)?.at(-1);
    if (slot === undefined) throw new RangeError(`no slot for ${name}`);
    return slot;
  }

  compile(expr: Expr): Code {
    const constant = this.checked.constantOf(expr);
    if (constant !== undefined) {
      const { value } = constant;
      return { run: () => value, cost: price.identOrSelect };
    }
    switch (expr.kind) {
      case "literal": {
        const { value } = expr;
        return { run: () => value, cost: 0 };
      }
      case "ident":
        return this.#variable(expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "comprehension":
        return compileComprehension(this, expr);
      case "struct":
        return this.#struct(expr);
    }
  }

  #call(expr: CallExpr): Code {
    return compileCall(this, expr);
  }

  #select(expr: SelectExpr): Code {
    const variable = this.checked.variableOf(expr);
    return variable === undefined ? compileSelect(this, expr) : this.#variable(variable);
  }

  #variable(name: string): Code {
    const slot = this.slotOf(name);
    const run: Run = (frame) => {
      const value = frame.slots[slot];
      if (value === undefined) throw new CelFailure(`no such attribute(s): ${name}`);
      return value;
    };
    return { run, cost: price.identOrSelect };
  }

  #list(expr: ListExpr): Code {
    const codes: Code[] = [];
    for (const { value } of expr.elements) codes.push(this.compile(value));
    const cost = price.list + totalCost(codes);
    const runs = codes.map(({ run }) => run);
    if (!expr.elements.some(({ optional }) => optional)) {
      return { run: (frame) => runs.map((run) => run(frame)), cost };
    }
    const optionals = expr.elements.map(({ optional }) => optional);
    const run: Run = (frame) =>
      runs.flatMap((element, index) => {
        const value = element(frame);
        return optionals[index] ? unwrap(value) : [value];
      });
    return { run, cost };
  }

  #map(expr: MapExpr): Code {
    const entries: { readonly key: Code; readonly value: Code; readonly optional: boolean }[] = [];
    for (const { key, value, optional } of expr.entries)
      entries.push({ key: this.compile(key), value: this.compile(value), optional });
    const cost = price.map + totalCost(entries.flatMap(({ key, value }) => [key, value]));
    const run: Run = (frame) => {
      const map = new CelMap();
      for (const entry of entries) {
        const key = mapKey(entry.key.run(frame));
        const value = entry.value.run(frame);
        for (const present of entry.optional ? unwrap(value) : [value]) {
          if (map.has(key)) throw new CelFailure(`Failed with repeated key: ${String(key)}`);
          map.insert(key, present);
        }
      }
      return map;
    };
    return { run, cost };
  }

  #struct(expr: StructExpr): Code {
    const fields: { readonly name: string; readonly value: Code; readonly optional: boolean }[] = [];
    for (const { name, value, optional } of expr.fields)
      fields.push({ name, value: this.compile(value), optional });
    const cost = price.struct + totalCost(fields.map(({ value }) => value));
    const run: Run = (frame) => {
      const struct = new StructMap(expr.name);
      for (const { name, value, optional } of fields) {
        const given = value.run(frame);
        for (const present of optional ? unwrap(given) : [given]) struct.insert(name, present);
      }
      return struct;
    };
    return { run, cost };
  }
}

function mapKey(key: unknown): unknown {
  const kind = kindOf(key);
  if (kind === "string" || kind === "int" || kind === "uint" || kind === "bool") return key;
  throw new CelFailure(`unsupported key type: ${kind}`);
}

/** Zero or one values of an optional element. */
function unwrap(value: unknown): readonly unknown[] {
  if (!(value instanceof Optional)) throw noSuchOverload();
  return value.hasValue ? [value.value] : [];
}
