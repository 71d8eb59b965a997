// A failed evaluation on its way out. Failures are ordinary in CEL (`a || b` is true when `a` fails and `b` is true), so this
// is no Error: making one takes no stack trace. Programs turn what reaches the top into a CelEvaluationError.

/** Thrown inside evaluations only. */
export class CelFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The failure when no overload takes the values. */
export function noSuchOverload(call?: string): CelFailure {
  return new CelFailure(call === undefined ? "no such overload" : `no such overload: ${call}`);
}
