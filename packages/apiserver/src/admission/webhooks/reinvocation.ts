// Reinvocation: webhooks and policies that ask for it run again where the object was changed after them.
import { cloneJson, deepEqual } from "@kubewright/api";
import type { AdmissionRequest } from "../../registry/admission-control.js";

/** A webhook, or a policy with a binding and its parameters. */
export interface Invoked {
  readonly id: string;
  /** Wants to see the object again when others change it. */
  readonly reinvokes: boolean;
}

/** The state of reinvocation over the rounds of one request. */
export class Reinvocation {
  /** Called, willing to be called again, and nothing has changed since. */
  #called = new Set<string>();
  readonly #due = new Set<string>();
  #output: unknown;
  #changed = false;

  /** Whether any of them changed the object. */
  get isNeeded(): boolean {
    return this.#changed;
  }

  isDue({ id }: Pick<Invoked, "id">): boolean {
    return this.#due.has(id);
  }

  /** Remembers the object as they left it, where one of them would want to see it again. */
  endRound({ object }: Pick<AdmissionRequest, "object">): void {
    if (this.#called.size > 0) this.#output = cloneJson(object);
  }

  /** An object that changed between the rounds is new to all webhooks, so all are due again. */
  beginSecond({ object }: Pick<AdmissionRequest, "object">): void {
    if (this.#called.size === 0) return;
    if (!deepEqual(this.#output, object)) this.#dueAgain();
  }

  /** It was called, whatever came of it. */
  called({ id, reinvokes }: Invoked, changed: boolean): void {
    if (changed) {
      this.#changed = true;
      this.#dueAgain();
    }
    if (reinvokes) this.#called.add(id);
  }

  #dueAgain(): void {
    for (const id of this.#called) this.#due.add(id);
    this.#called = new Set();
  }
}
