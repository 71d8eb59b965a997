// Decides whether a value of one type may stand where another is expected, and binds type parameters on the way. The rules are
// those of the CEL checker: `dyn` fits everything, `null` fits what can be null, parameters take the most general type.
import { type CelType, dynType, paramType } from "./types.js";

/** Same type, sizes aside. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => sameType(param, b.params[index] ?? dynType));
}

/** Whether nothing is known of a type, so that anything may stand there. */
export const isDyn = (type: CelType): boolean => type.kind === "dyn";
const isDynOrError = (type: CelType): boolean => type.kind === "dyn" || type.kind === "error";

const nullable: ReadonlySet<string> = new Set([
  "null",
  "opaque",
  "optional",
  "object",
  "timestamp",
  "duration",
]);

/** Whether the first type says no more than the second. */
function isLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => isLessSpecific(param, b.params[index] ?? dynType));
}

/** The more general of two types that are known to fit. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isLessSpecific(a, b) ? a : b;
}

/** The bindings of type parameters within one check. */
export class TypeUnifier {
  readonly #bindings = new Map<string, CelType>();
  /** The previous bindings, newest last, since the current check began. */
  readonly #undo: (readonly [param: string, before: CelType | undefined])[] = [];
  #fresh = 0;

  /** A fresh type parameter. */
  freshParam(): CelType {
    this.#fresh += 1;
    return paramType(`_var${this.#fresh - 1}`);
  }

  /** The signature with its own parameters replaced by fresh ones. */
  instantiate(types: readonly CelType[]): readonly CelType[] {
    const renamed = new Map<string, CelType>();
    const rename = (type: CelType): CelType => {
      if (type.kind !== "param") return mapParams(type, rename);
      const known = renamed.get(type.name) ?? this.freshParam();
      renamed.set(type.name, known);
      return known;
    };
    return types.map(rename);
  }

  /** Whether every value may stand at its place; bindings are kept only when all may. */
  areAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.#undo.length = 0;
    if (this.#allFit(from, to)) return true;
    for (let change = this.#undo.pop(); change !== undefined; change = this.#undo.pop()) {
      const [param, before] = change;
      if (before === undefined) this.#bindings.delete(param);
      else this.#bindings.set(param, before);
    }
    return false;
  }

  isAssignable(from: CelType, to: CelType): boolean {
    return this.areAssignable([from], [to]);
  }

  /** The type with bound parameters filled in; unbound ones become `dyn` on request. */
  resolve(type: CelType, unboundToDyn: boolean): CelType {
    const bound = type.kind === "param" ? this.#bindings.get(type.name) : undefined;
    if (bound !== undefined) return this.resolve(bound, unboundToDyn);
    if (type.kind === "param") return unboundToDyn ? dynType : type;
    return mapParams(type, (param) => this.resolve(param, unboundToDyn));
  }

  #allFit(from: readonly CelType[], to: readonly CelType[]): boolean {
    if (from.length !== to.length) return false;
    return from.every((type, index) => this.#fits(type, to[index] ?? dynType));
  }

  #fits(from: CelType, to: CelType): boolean {
    if (from === to) return true;
    if (from.kind === "param" && to.kind === "param" && from.name === to.name) return true;
    if (to.kind === "param") {
      const result = this.#substitute(from, to);
      if (result !== "unbound") return result;
    }
    if (from.kind === "param") return this.#substitute(to, from) === true;
    if (isDynOrError(from) || isDynOrError(to)) return true;
    if (from.kind === "null") return nullable.has(to.kind);
    if (to.kind === "null") return nullable.has(from.kind);
    if (from.kind !== to.kind) return false;
    if (from.kind === "type") return true;
    return from.name === to.name && this.#allFit(from.params, to.params);
  }

  /** Binds the parameter to the type, or checks the type against its binding. */
  #substitute(type: CelType, param: CelType): boolean | "unbound" {
    const bound = this.#bindings.get(param.name);
    if (bound !== undefined) {
      if (sameType(type, bound)) return true;
      if (!this.#fits(type, bound)) return false;
      this.#bind(param, mostGeneral(type, bound));
      return true;
    }
    if (this.#occursIn(param, type)) return "unbound";
    this.#bind(param, type);
    return true;
  }

  #bind({ name }: CelType, type: CelType): void {
    this.#undo.push([name, this.#bindings.get(name)]);
    this.#bindings.set(name, type);
  }

  #occursIn(param: CelType, type: CelType): boolean {
    if (type.kind === "param") {
      if (type.name === param.name) return true;
      const bound = this.#bindings.get(type.name);
      return bound !== undefined && this.#occursIn(param, bound);
    }
    return type.params.some((inner) => this.#occursIn(param, inner));
  }
}

function mapParams(type: CelType, change: (param: CelType) => CelType): CelType {
  if (type.params.length === 0) return type;
  const params = type.params.map(change);
  return params.every((param, index) => param === type.params[index]) ? type : { ...type, params };
}
