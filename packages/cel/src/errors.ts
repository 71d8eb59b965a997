// Errors of expressions: at compile time with a place in the source, at run time with a message.

/** One problem found while compiling, with its place (line and column count from 1). */
export interface CelIssue {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** The expression does not parse or does not type-check; the message shows the source line as Kubernetes does. */
export class CelCompileError extends Error {
  override readonly name = "CelCompileError";
  readonly issues: readonly CelIssue[];

  constructor(message: string, issues: readonly CelIssue[]) {
    super(message);
    this.issues = issues;
  }
}

/** The expression compiled, but has no value for these bindings: `no such key: a`, `divide by zero`. */
export class CelEvaluationError extends Error {
  override readonly name = "CelEvaluationError";
}

/** The evaluation was stopped because it cost too much. */
export class CelBudgetError extends Error {
  override readonly name = "CelBudgetError";
  /** Whether one evaluation was too costly, or all of the object's rules together. */
  readonly scope: "call" | "object";

  constructor(message: string, scope: "call" | "object") {
    super(message);
    this.scope = scope;
  }
}
