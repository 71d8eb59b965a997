// Observed leases: finds those not renewed for too long, by our own clock. Times in leases are for people: clocks differ and jump.
import type { Clock, Lease } from "@kubewright/api";

export class ObservedLeases {
  readonly #clock: Clock;
  readonly #duration: number;
  /** The version each was last seen in, and when that was first seen. */
  readonly #seen = new Map<string, { readonly version: string | undefined; readonly at: number }>();

  constructor(clock: Clock, duration: number) {
    this.#clock = clock;
    this.#duration = duration;
  }

  /** Takes note of every lease there is, and of every member that should have one. */
  see(leases: ReadonlyMap<string, Lease>, expected: Iterable<string>): void {
    const now = this.#clock.monotonic();
    const names = new Set([...leases.keys(), ...expected]);
    for (const name of names) {
      const version = leases.get(name)?.metadata?.resourceVersion;
      const known = this.#seen.get(name);
      if (!known || known.version !== version) this.#seen.set(name, { version, at: now });
    }
    for (const name of this.#seen.keys()) if (!names.has(name)) this.#seen.delete(name);
  }

  /** True when its holder must have stopped: it was not renewed for its whole duration. */
  isExpired(name: string): boolean {
    const seen = this.#seen.get(name);
    return seen !== undefined && this.#clock.monotonic() - seen.at > this.#duration;
  }
}
