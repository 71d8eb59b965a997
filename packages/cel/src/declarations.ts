// The declarations of an environment: functions with overloads, and constants. A library is a list of these; the checker,
// the evaluator and the cost estimator each read their part of an overload.
import type { CallEstimate, CallSite } from "./cost.js";
import type { CelType } from "./types.js";
import type { Meter } from "./values/meter.js";

/** Runs an overload. It receives the values of its arguments (the target first), and the meter for work its cost does not show. */
export type Invoke = (args: readonly unknown[], meter: Meter) => unknown;

/** One signature of a function, with its code and its costs. */
export interface Overload {
  /** The name Kubernetes and cel-go use, which cost rules refer to. */
  readonly id: string;
  /** Called as `target.name(…)`; the target's type is the first argument. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  readonly invoke: Invoke;
  /** Prepares a call whose arguments are partly literals (undefined where they are not): compiles a pattern once. */
  readonly prepare?: ((literals: readonly unknown[]) => Invoke | undefined) | undefined;
  /** The cost of a call, from its values. Default: 1. */
  readonly cost?: ((args: readonly unknown[], result: unknown) => number) | undefined;
  /** The cost estimate of a call, from sizes. Default: that of its kind. */
  readonly estimate?: ((call: CallSite) => CallEstimate | undefined) | undefined;
}

/** A function with all its overloads. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** A named value that needs no binding: the type `int`. */
export interface ConstantDeclaration {
  readonly name: string;
  readonly type: CelType;
  readonly value: unknown;
}

/** Functions and constants that belong together. */
export interface Library {
  readonly functions: readonly FunctionDeclaration[];
  readonly constants?: readonly ConstantDeclaration[] | undefined;
}

/** The optional parts of an overload. */
export type Costs = Pick<Overload, "cost" | "estimate" | "prepare">;

/** A function called by name: `size(x)`. */
export function globalOverload(
  id: string,
  args: readonly CelType[],
  result: CelType,
  invoke: Invoke,
  costs: Costs = {},
): Overload {
  return { id, member: false, args, result, invoke, ...costs };
}

/** A function called on a value: `x.size()`. */
export function memberOverload(
  id: string,
  args: readonly CelType[],
  result: CelType,
  invoke: Invoke,
  costs: Costs = {},
): Overload {
  return { id, member: true, args, result, invoke, ...costs };
}

/** A function by its name and overloads. */
export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}

/** Everything an expression can refer to besides its variables. */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly constants: ReadonlyMap<string, ConstantDeclaration>;
}

/** Merges libraries; overloads of one function add up. */
export function createEnvironment(libraries: readonly Library[]): Environment {
  const functions = new Map<string, FunctionDeclaration>();
  const constants = new Map<string, ConstantDeclaration>();
  for (const library of libraries) {
    for (const { name, overloads } of library.functions) {
      const known = functions.get(name)?.overloads ?? [];
      functions.set(name, { name, overloads: [...known, ...overloads] });
    }
    for (const constant of library.constants ?? []) constants.set(constant.name, constant);
  }
  return { functions, constants };
}
