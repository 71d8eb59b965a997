// Field access: `self.spec.replicas`, `has(self.x)`, `self.?x`.
import { isObject } from "@kubewright/api";
import type { Expr, SelectExpr } from "./ast.js";
import type { Compiler } from "./compile.js";
import { price } from "./cost.js";
import type { Code, Frame, Run } from "./frame.js";
import { shapeOf } from "./shape.js";
import type { CelField, CelType } from "./types.js";
import { CelFailure, noSuchOverload } from "./values/failure.js";
import type { JsonMap } from "./values/json.js";
import { isList } from "./values/list.js";
import { mapGet } from "./values/map.js";
import { Optional } from "./values/optional.js";
import { isMap } from "./values/value.js";
import { MapView } from "./values/view.js";

/** Finds a field in a value: its value, or undefined when it is absent. */
type Find = (operand: unknown) => unknown;

/** Compiles `a.b` and `has(a.b)`. */
export function compileSelect(compiler: Compiler, expr: SelectExpr): Code {
  const declared = declaredField(compiler, expr);
  if (declared !== undefined) return compileDeclared(compiler, expr, declared);
  const operand = compiler.compile(expr.operand);
  const find = finder(compiler.checked.typeOf(expr.operand), expr.field);
  if (expr.test) return { run: presence(operand.run, find), cost: operand.cost };
  return { run: access(operand.run, find, expr.field), cost: operand.cost + price.identOrSelect };
}

function declaredField(compiler: Compiler, expr: SelectExpr): CelField | undefined {
  const type = compiler.checked.typeOf(expr.operand);
  return type.kind === "object" ? type.fields?.().get(expr.field) : undefined;
}

/** A field the schema declares. On the way there, objects are looked into without a view being made of each. */
function compileDeclared(compiler: Compiler, expr: SelectExpr, field: CelField): Code {
  const operand = compileJson(compiler, expr.operand);
  const { run: object } = operand;
  const get = getter(field.property);
  if (expr.test) {
    const run: Run = (frame) => (get(object(frame)) ?? null) !== null;
    return { run, cost: operand.cost };
  }
  const read = readerOf(field.type);
  const { name } = field;
  const run: Run = (frame) => {
    const value = get(object(frame));
    if (value === undefined || value === null) throw new CelFailure(`no such key: ${name}`);
    return read(value);
  };
  return { run, cost: operand.cost + price.identOrSelect };
}

/** The most frequent types are read without a detour. */
function readerOf(type: CelType): (json: unknown) => unknown {
  const { read } = shapeOf(type);
  switch (type.kind) {
    case "string":
      return (json) => (typeof json === "string" ? json : read(json));
    case "int":
      return (json) => (Number.isSafeInteger(json) ? json : read(json));
    default:
      return read;
  }
}

/** Code that yields the JSON of an object. */
interface JsonCode {
  readonly run: (frame: Frame) => JsonMap;
  readonly cost: number;
}

function compileJson(compiler: Compiler, expr: Expr): JsonCode {
  const declared = expr.kind === "select" && !expr.test ? declaredField(compiler, expr) : undefined;
  if (expr.kind === "select" && declared?.type.kind === "object") {
    const { run: object, cost } = compileJson(compiler, expr.operand);
    const get = getter(declared.property);
    const { name } = declared;
    const run = (frame: Frame): JsonMap => {
      const value = get(object(frame));
      if (isObject(value)) return value;
      throw value === undefined || value === null ? new CelFailure(`no such key: ${name}`) : noSuchOverload();
    };
    return { run, cost: cost + price.identOrSelect };
  }
  const { run: object, cost } = compiler.compile(expr);
  const run = (frame: Frame): JsonMap => {
    const value = object(frame);
    if (value instanceof MapView) return value.json;
    if (isObject(value)) return value;
    if (value === null) return noFields;
    throw noSuchOverload();
  };
  return { run, cost };
}

/** The fields of a nullable object that is null. */
const noFields: JsonMap = Object.freeze({});

function access(operand: Run, find: Find, field: string): Run {
  return (frame) => {
    const value = find(operand(frame));
    if (value === undefined) throw new CelFailure(`no such key: ${field}`);
    return value;
  };
}

function presence(operand: Run, find: Find): Run {
  return (frame) => {
    const value = find(operand(frame));
    return value instanceof Optional ? value.hasValue : value !== undefined;
  };
}

/** `operand.?field`: an optional, empty where the field is absent. */
export function compileOptionalSelect(compiler: Compiler, operandExpr: Expr, field: string): Code {
  const operand = compiler.compile(operandExpr);
  const find = finder(compiler.checked.typeOf(operandExpr), field);
  const run: Run = (frame) => {
    const value = find(operand.run(frame));
    if (value === undefined) return Optional.none;
    return value instanceof Optional ? value : Optional.of(value);
  };
  return { run, cost: operand.cost + price.identOrSelect };
}

function finder(type: CelType, field: string): Find {
  const [held] = type.params;
  if (type.kind === "optional" && held !== undefined) return insideOptional(finder(held, field));
  const declared = type.kind === "object" ? type.fields?.().get(field) : undefined;
  return declared === undefined ? dynamicFinder(field) : declaredFinder(declared);
}

/** A field of an optional is an optional. */
function insideOptional(find: Find): Find {
  return (operand) => {
    if (!(operand instanceof Optional)) throw noSuchOverload();
    const value = operand.hasValue ? find(operand.value) : undefined;
    return value === undefined ? Optional.none : Optional.of(value);
  };
}

/** Values that are neither maps nor lists have no fields. */
function dynamicFinder(field: string): Find {
  const find: Find = (operand) => {
    if (isMap(operand)) return mapGet(operand, field);
    if (operand instanceof Optional) return insideOptional(find)(operand);
    if (isList(operand)) throw new CelFailure("unsupported index type 'string' in list");
    return undefined;
  };
  return find;
}

/** Reads a field the schema declares, straight from the JSON. A field that is null counts as absent. */
function declaredFinder(field: CelField): Find {
  const { property, type } = field;
  const { read } = shapeOf(type);
  const get = getter(property);
  return (operand) => {
    if (operand === null) return undefined;
    if (!isObject(operand)) throw noSuchOverload();
    const value = get(operand instanceof MapView ? operand.json : operand);
    return value === undefined || value === null ? undefined : read(value);
  };
}

/** Names that every JavaScript object seems to have must be its own. */
function getter(property: string): (json: JsonMap) => unknown {
  if (property in Object.prototype) {
    return (json) => (Object.hasOwn(json, property) ? json[property] : undefined);
  }
  return (json) => json[property];
}
