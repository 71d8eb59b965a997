// Health checks by name: liveness (restart the process?) and readiness (send it work?).
import { type Clock, withTimeout } from "@kubewright/api";
import type { Logger } from "../logging/logger.js";

/** Passes by returning, fails by throwing (or rejecting) with the reason. */
export type HealthCheck = () => void | Promise<void>;

/** Checks by name. */
export type HealthCheckSet = Readonly<Record<string, HealthCheck>>;

/** The result of one check. */
export interface CheckResult {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "excluded";
  /** Why it failed. */
  readonly reason?: string | undefined;
}

/** The timeout of a check, in milliseconds; kubelet itself waits one second by default. */
const checkTimeout = 5_000;

/** Checks that are asked together. */
export class HealthChecks {
  readonly #checks = new Map<string, HealthCheck>();
  readonly #failing = new Set<string>();
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  get names(): readonly string[] {
    return [...this.#checks.keys()];
  }

  /** Adds a check; throws when another has its name. */
  add(name: string, check: HealthCheck): void {
    if (this.#checks.has(name)) throw new Error(`there is a health check named "${name}" already`);
    this.#checks.set(name, check);
  }

  addAll(checks: HealthCheckSet = {}): void {
    for (const [name, check] of Object.entries(checks)) this.add(name, check);
  }

  /** Asks one; undefined when there is none of that name. */
  async ask(name: string): Promise<CheckResult | undefined> {
    const check = this.#checks.get(name);
    if (!check) return undefined;
    const asking = new Promise<void>((resolve) => resolve(check()));
    try {
      await withTimeout(this.#clock, checkTimeout, `the check "${name}"`, asking);
      this.#failing.delete(name);
      return { name, outcome: "passed" };
    } catch (error) {
      // Probes come every few seconds; only changes are logged.
      if (!this.#failing.has(name)) this.#log.warn("health check failed", { check: name, error });
      this.#failing.add(name);
      return { name, outcome: "failed", reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Asks all but the excluded. */
  async askAll(excluded: ReadonlySet<string> = new Set()): Promise<readonly CheckResult[]> {
    const results = this.names.map(
      async (name): Promise<CheckResult | undefined> =>
        excluded.has(name) ? { name, outcome: "excluded" } : this.ask(name),
    );
    return (await Promise.all(results)).filter((result) => result !== undefined);
  }
}
