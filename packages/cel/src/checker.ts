// The type checker: gives every node a type and every call its overloads, and reports type errors. It follows the checker of cel-go
// decision by decision, so that a rule is refused here exactly when a cluster would refuse it.

import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from "./ast.js";
import { qualifiedName } from "./ast.js";
import type { ConstantDeclaration, Environment, FunctionDeclaration, Overload } from "./declarations.js";
import type { Source, SourceIssue } from "./source.js";
import type { FindStruct } from "./struct.js";
import { isDyn, mostGeneral, sameType, TypeUnifier } from "./type-unifier.js";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  uintType,
} from "./types.js";

/** The result of type checking. */
export interface CheckedExpr {
  readonly expr: Expr;
  readonly type: CelType;
  /** The type of a node. */
  typeOf(expr: Expr): CelType;
  /** The overloads a call may run; more than one when types are only known at run time. */
  overloadsOf(call: CallExpr): readonly Overload[];
  /** Whether the call's target is a name space (`sets.contains`) and not a value. */
  isNamespaced(call: CallExpr): boolean;
  /** The constant a name stands for, if it is one. */
  constantOf(expr: Expr): ConstantDeclaration | undefined;
  /** The variable whose dotted name this selection spells (`authorizer.requestResource`), if it is one. */
  variableOf(expr: SelectExpr): string | undefined;
  /** The declared variables it reads. */
  readonly references: ReadonlySet<string>;
}

const literalTypes = {
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
  null: nullType,
} as const;

/** Checks an expression against its environment; throws a CelCompileError. */
export function checkExpr(
  expr: Expr,
  source: Source,
  environment: Environment,
  variables: ReadonlyMap<string, CelType>,
  structs?: FindStruct,
): CheckedExpr {
  const checker = new Checker(environment, variables, structs);
  checker.check(expr);
  if (checker.issues.length > 0) throw source.error(checker.issues);
  return checker.result(expr);
}

class Checker {
  readonly issues: SourceIssue[] = [];
  readonly #environment: Environment;
  readonly #scopes: ReadonlyMap<string, CelType>[];
  readonly #unifier = new TypeUnifier();
  readonly #types = new Map<number, CelType>();
  readonly #overloads = new Map<number, readonly Overload[]>();
  readonly #namespaced = new Set<number>();
  readonly #constants = new Map<number, ConstantDeclaration>();
  readonly #dottedNames = new Map<number, string>();
  readonly #references = new Set<string>();
  readonly #structs: FindStruct | undefined;

  constructor(
    environment: Environment,
    variables: ReadonlyMap<string, CelType>,
    structs: FindStruct | undefined,
  ) {
    this.#environment = environment;
    this.#structs = structs;
    this.#scopes = [variables];
  }

  result(expr: Expr): CheckedExpr {
    const types = new Map<number, CelType>();
    for (const [id, type] of this.#types) {
      types.set(id, this.#unifier.resolve(type, true));
    }
    const typeOf = (node: Expr): CelType => types.get(node.id) ?? dynType;
    return {
      expr,
      type: typeOf(expr),
      typeOf,
      overloadsOf: (call) => this.#overloads.get(call.id) ?? [],
      isNamespaced: (call) => this.#namespaced.has(call.id),
      constantOf: (node) => this.#constants.get(node.id),
      variableOf: (node) => this.#dottedNames.get(node.id),
      references: this.#references,
    };
  }

  check(expr: Expr): CelType {
    const type = this.#infer(expr);
    this.#types.set(expr.id, type);
    return type;
  }

  #infer(expr: Expr): CelType {
    switch (expr.kind) {
      case "literal":
        return literalTypes[expr.type];
      case "ident":
        return this.#resolveName(expr, expr.name) ?? this.#undeclared(expr, expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "comprehension":
        return this.#comprehension(expr);
    }
  }

  #typeOf(expr: Expr): CelType {
    return this.#unifier.resolve(this.#types.get(expr.id) ?? errorType, false);
  }

  #report(at: { readonly offset: number }, message: string): void {
    this.issues.push({ offset: at.offset, message });
  }

  #undeclared(at: Expr, name: string): CelType {
    this.#report(at, `undeclared reference to '${name}' (in container '')`);
    return errorType;
  }

  #mismatch(at: Expr, expected: CelType, found: CelType): void {
    const show = (type: CelType): string => formatType(this.#unifier.resolve(type, true));
    this.#report(at, `expected type '${show(expected)}' but found '${show(found)}'`);
  }

  #lookup(name: string): CelType | undefined {
    for (let index = this.#scopes.length - 1; index >= 0; index -= 1) {
      const type = this.#scopes[index]?.get(name);
      if (type !== undefined) return type;
    }
    return undefined;
  }

  /** The type of the variable or constant of that name, if there is one. */
  #resolveName(expr: Expr, name: string): CelType | undefined {
    const variable = this.#lookup(name);
    if (variable !== undefined) {
      if (variable === this.#scopes[0]?.get(name)) this.#references.add(name);
      if (expr.kind === "select") this.#dottedNames.set(expr.id, name);
      return variable;
    }
    const constant = this.#environment.constants.get(name);
    if (constant !== undefined) this.#constants.set(expr.id, constant);
    return constant?.type;
  }

  #select(expr: SelectExpr): CelType {
    const name = qualifiedName(expr);
    const named = name === undefined ? undefined : this.#resolveName(expr, name);
    if (named !== undefined) return named;
    this.check(expr.operand);
    const type = this.#selectField(expr, expr.operand, expr.field, false);
    return expr.test ? boolType : type;
  }

  #selectField(at: Expr, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = this.#typeOf(operand);
    const [held] = operandType.params;
    const isOptional = operandType.kind === "optional" && held !== undefined;
    const type = this.#fieldType(at, isOptional ? held : operandType, field);
    return isOptional || optional ? optionalType(type) : type;
  }

  #fieldType(at: Expr, target: CelType, field: string): CelType {
    switch (target.kind) {
      case "map":
        return target.params[1] ?? dynType;
      case "object": {
        const found = target.fields?.().get(field);
        if (found !== undefined) return found.type;
        this.#report(at, `undefined field '${field}'`);
        return errorType;
      }
      case "param":
        this.#unifier.isAssignable(dynType, target);
        return dynType;
      case "dyn":
      case "error":
        return dynType;
      default:
        this.#report(at, `type '${formatType(target)}' does not support field selection`);
        return dynType;
    }
  }

  #call(expr: CallExpr): CelType {
    if (expr.name === "_?._") return this.#optionalSelect(expr);
    for (const arg of expr.args) this.check(arg);
    const { target } = expr;
    if (target === undefined) return this.#resolveCall(expr, expr.name, undefined);
    const prefix = qualifiedName(target);
    if (prefix !== undefined && this.#environment.functions.has(`${prefix}.${expr.name}`)) {
      this.#namespaced.add(expr.id);
      return this.#resolveCall(expr, `${prefix}.${expr.name}`, undefined);
    }
    this.check(target);
    return this.#resolveCall(expr, expr.name, target);
  }

  #optionalSelect(expr: CallExpr): CelType {
    const [operand, field] = expr.args;
    if (operand === undefined || field?.kind !== "literal" || typeof field.value !== "string")
      return errorType;
    this.check(operand);
    this.check(field);
    this.#overloads.set(expr.id, this.#environment.functions.get("_?._")?.overloads ?? []);
    return this.#selectField(expr, operand, field.value, true);
  }

  #resolveCall(expr: CallExpr, name: string, target: Expr | undefined): CelType {
    const declaration = this.#environment.functions.get(name);
    if (declaration === undefined) return this.#undeclared(expr, name);
    const operands = target === undefined ? expr.args : [target, ...expr.args];
    return this.#chooseOverloads(expr, declaration, operands, target !== undefined) ?? errorType;
  }

  #chooseOverloads(
    expr: CallExpr,
    declaration: FunctionDeclaration,
    operands: readonly Expr[],
    member: boolean,
  ): CelType | undefined {
    const given = operands.map((operand) => this.#typeOf(operand));
    const matching: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.member !== member) continue;
      const [own = dynType, ...wanted] = this.#unifier.instantiate([overload.result, ...overload.args]);
      if (!this.#unifier.areAssignable(given, wanted)) continue;
      matching.push(overload);
      const type = this.#unifier.resolve(own, false);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(result, type)) result = dynType;
    }
    if (result === undefined) this.#reportNoOverload(expr, declaration.name, given, member);
    this.#overloads.set(expr.id, matching);
    return result;
  }

  #reportNoOverload(at: Expr, name: string, given: readonly CelType[], member: boolean): void {
    const shown = given.map((type) => formatType(this.#unifier.resolve(type, true)));
    const args = (member ? shown.slice(1) : shown).join(", ");
    const signature = member ? `${shown[0]}.(${args})` : `(${args})`;
    this.#report(at, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  #list(expr: ListExpr): CelType {
    let element: CelType | undefined;
    for (const { value, optional } of expr.elements) {
      this.check(value);
      element = this.#join(element, optional ? this.#unwrapOptional(value) : this.#typeOf(value));
    }
    return listType(element ?? this.#unifier.freshParam());
  }

  #map(expr: MapExpr): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of expr.entries) {
      this.check(entry.key);
      key = this.#join(key, this.#typeOf(entry.key));
      this.check(entry.value);
      value = this.#join(
        value,
        entry.optional ? this.#unwrapOptional(entry.value) : this.#typeOf(entry.value),
      );
    }
    const fresh = (): CelType => this.#unifier.freshParam();
    return mapType(key ?? fresh(), value ?? fresh());
  }

  #struct(expr: StructExpr): CelType {
    const struct = this.#structs?.(expr.name);
    if (struct === undefined) return this.#undeclared(expr, expr.name);
    for (const { name, value, optional, offset } of expr.fields) {
      this.check(value);
      const given = optional ? this.#unwrapOptional(value) : this.#typeOf(value);
      const wanted = struct.field(name);
      if (wanted === undefined) this.#report({ offset }, `undefined field '${name}'`);
      else if (!this.#unifier.isAssignable(wanted, given)) this.#reportField(offset, name, wanted, given);
    }
    return struct.type;
  }

  #reportField(offset: number, name: string, wanted: CelType, given: CelType): void {
    const shown = formatType(this.#unifier.resolve(given, true));
    const expected = `expected type of field '${name}' is '${formatType(wanted)}'`;
    this.#report({ offset }, `${expected} but provided type is '${shown}'`);
  }

  #unwrapOptional(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    if (type.kind === "optional") return type.params[0] ?? dynType;
    if (!isDyn(type)) this.#mismatch(expr, optionalType(type), type);
    return type;
  }

  /** The type of a literal with elements of both types. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined || (previous === current && current.params.length === 0)) return current;
    return this.#unifier.isAssignable(previous, current) ? mostGeneral(previous, current) : dynType;
  }

  #comprehension(expr: ComprehensionExpr): CelType {
    this.check(expr.range);
    this.check(expr.init);
    const accumulator = this.#typeOf(expr.init);
    const [first, second] = this.#loopTypes(expr.range, expr.variable2 !== undefined);
    this.#scopes.push(new Map([[expr.accumulator, accumulator]]));
    const names: [string, CelType][] = [[expr.variable, first]];
    if (expr.variable2 !== undefined) names.push([expr.variable2, second]);
    this.#scopes.push(new Map(names));
    this.check(expr.condition);
    this.#assert(expr.condition, boolType);
    this.check(expr.step);
    this.#assert(expr.step, accumulator);
    this.#scopes.pop();
    this.check(expr.result);
    this.#scopes.pop();
    return this.#typeOf(expr.result);
  }

  #assert(expr: Expr, type: CelType): void {
    if (!this.#unifier.isAssignable(type, this.#typeOf(expr))) this.#mismatch(expr, type, this.#typeOf(expr));
  }

  /** The types of the loop variables: elements of a list, keys of a map, or index and element, key and value. */
  #loopTypes(range: Expr, two: boolean): readonly [CelType, CelType] {
    const type = this.#typeOf(range);
    const [a = dynType, b = dynType] = type.params;
    switch (type.kind) {
      case "list":
        return two ? [intType, a] : [a, a];
      case "map":
        return [a, b];
      case "param":
        this.#unifier.isAssignable(dynType, type);
        return [dynType, dynType];
      case "dyn":
      case "error":
        return [dynType, dynType];
      default: {
        const shown = formatType(type);
        this.#report(
          range,
          `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
      }
    }
  }
}
