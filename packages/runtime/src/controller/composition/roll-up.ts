// Rolls the states of children up into the conditions of their owner: Available, Progressing, Degraded.
import type { ConditionUpdate } from "@kubewright/api";
import type { Health } from "./health.js";

/** The state of a child; `waiting` for others to be ready first. */
export interface ChildState {
  readonly state: Health["state"] | "waiting";
  readonly message?: string | undefined;
}

/** The three conditions. */
export function rollUp(children: ReadonlyMap<string, ChildState>): readonly ConditionUpdate[] {
  const named = (...states: readonly ChildState["state"][]): string =>
    [...children]
      .filter(([, { state }]) => states.includes(state))
      .map(([name, { message }]) => (message ? `${name}: ${message}` : name))
      .join("; ");
  const failed = named("failed");
  const underway = named("progressing", "waiting");
  const unready = named("progressing", "waiting", "failed");
  return [
    unready
      ? { type: "Available", status: "False", reason: "ChildrenNotReady", message: unready }
      : { type: "Available", status: "True", reason: "AllReady" },
    underway
      ? { type: "Progressing", status: "True", reason: "ChildrenNotReady", message: underway }
      : { type: "Progressing", status: "False", reason: failed ? "ChildrenFailed" : "AllReady" },
    failed
      ? { type: "Degraded", status: "True", reason: "ChildrenFailed", message: failed }
      : { type: "Degraded", status: "False", reason: "AsExpected" },
  ];
}

/** The conditions after a failure of the composition itself. */
export function degradedBy(error: unknown): ConditionUpdate {
  const message = error instanceof Error ? error.message : String(error);
  return { type: "Degraded", status: "True", reason: "ReconcileFailed", message };
}
