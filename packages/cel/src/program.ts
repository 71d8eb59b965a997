// The two entry points and what they hand back.

import type { FieldError } from "@kubewright/api";
import type { CelBudget } from "./budget.js";
import type { CelExtension } from "./environment.js";
import type { FindStruct } from "./struct.js";
import type { CelType } from "./types.js";

/** Options of compileExpression. */
export interface CompileOptions {
  /** The variables the expression may use. */
  readonly variables: Readonly<Record<string, CelType>>;
  /** The type it must evaluate to. Default: any. */
  readonly resultType?: CelType | undefined;
  /** Function libraries that Kubernetes does not have. Default: none. */
  readonly extensions?: readonly CelExtension[] | undefined;
  /** The struct types it may build. Default: none. */
  readonly structs?: FindStruct | undefined;
}

/** The least and the most an expression can cost. */
export interface CelCost {
  readonly min: number;
  readonly max: number;
}

/** A compiled expression. It holds no state and may be evaluated any number of times. */
export interface CelProgram {
  readonly source: string;
  readonly resultType: CelType;
  /** The variables it reads. */
  readonly references: ReadonlySet<string>;
  /** The estimate Kubernetes makes from the declared sizes. */
  readonly cost: CelCost;
  /**
   * The value for these bindings. Bindings are plain JSON, seen through the declared types, never copied.
   * Throws a CelEvaluationError where there is no value and a CelBudgetError where it costs too much.
   */
  evaluate(bindings: Readonly<Record<string, unknown>>, budget: CelBudget): unknown;
}

/** Options of compileSchemaRules. */
export interface SchemaRulesOptions {
  /** The field path of the schema, for the errors: `spec.versions[0].schema.openAPIV3Schema`. */
  readonly path: string;
  /** The errors of the schema itself: rules at or above them are not compiled. Default: none. */
  readonly invalid?: readonly FieldError[] | undefined;
  /** Whether rules are compiled, or only looked at. Default: true. */
  readonly compile?: boolean | undefined;
  /** Set where the rules are those of a default: it may be part of an object, and rules with a wrong message or path count, too. */
  readonly isDefault?: boolean | undefined;
}

/** One evaluation of all rules of an object. */
export interface RuleValidation {
  readonly self: unknown;
  /** The stored object on update; transition rules run only when there is one. */
  readonly old?: unknown;
  /** The field path of `self`; empty for a whole object. */
  readonly path?: string | undefined;
  readonly budget: CelBudget;
  /** Let failures of values that the update does not change pass (as Kubernetes does on update). Default: true. */
  readonly ratchet?: boolean | undefined;
  /** Called for every failure that ratcheting ignores. */
  readonly onRatcheted?: ((error: FieldError) => void) | undefined;
}

/** The rules of a schema, compiled once. */
export interface SchemaRules {
  /** Errors of the rules themselves. When not empty, the CRD must be refused. */
  readonly errors: readonly FieldError[];
  /** Whether there is any rule at all. */
  readonly isEmpty: boolean;
  /** The rules that an object breaks. It must have passed schema validation before. */
  validate(input: RuleValidation): readonly FieldError[];
}
