// The audit annotations of policies: validation failures of bindings with the action Audit, and `auditAnnotations`.
import type { RequestContext } from "../../registry/request-context.js";
import type { PolicyDenial } from "./policy-decision.js";
import type { PolicyBinding } from "./policy-source.js";

const failureKey = "validation.policy.admission.k8s.io/validation_failure";

/** The annotations of one policy for one request, over all its bindings and parameters. */
export class PolicyAnnotations {
  readonly #context: RequestContext;
  readonly #policy: string;
  readonly #values = new Map<string, Set<string>>();

  constructor(context: RequestContext, policy: string) {
    this.#context = context;
    this.#policy = policy;
  }

  /** Records a failed validation of a binding with the action Audit. */
  failed({ name: binding, actions }: PolicyBinding, { message, index = 0 }: PolicyDenial): void {
    const { record } = this.#context;
    if (!record) return;
    const policy = this.#policy;
    const failure = { message, policy, binding, expressionIndex: index, validationActions: [...actions] };
    record.annotate(failureKey, JSON.stringify([failure]));
  }

  add(key: string, value: string): void {
    const values = this.#values.get(key) ?? new Set();
    this.#values.set(key, values.add(value));
  }

  /** Writes the annotations, those of several bindings or parameters joined. */
  publish(): void {
    for (const [key, values] of this.#values)
      this.#context.record?.annotate(`${this.#policy}/${key}`, [...values].join(", "));
  }
}
