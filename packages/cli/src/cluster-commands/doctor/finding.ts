// What the doctor finds: one line on what was looked at, and where something is wrong, what to do.
import type { Client } from "@kubewright/client";
import type { Operator } from "../../manifests/operator.js";

export interface Finding {
  /** What was looked at: `permissions`. */
  readonly check: string;
  /** A problem stops the operator; a warning does not. */
  readonly state: "ok" | "warning" | "problem" | "unknown";
  readonly message: string;
  readonly remedy?: string | undefined;
}

/** What is examined. */
export interface Patient {
  readonly client: Client;
  /** The cluster, as people know it. */
  readonly cluster: string;
  readonly operator: Operator;
}

/** Looks at one thing. */
export type Check = (patient: Patient) => Promise<readonly Finding[]>;

export const ok = (check: string, message: string): Finding => ({ check, state: "ok", message });
export const problem = (check: string, message: string, remedy: string): Finding => ({
  check,
  state: "problem",
  message,
  remedy,
});
export const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  state: "warning",
  message,
  remedy,
});
