// Which webhooks see an object a second time: those that ask for it and were called before someone else changed it.
import { deepEqual } from "@kubewright/api";
import { cloneJson, type DraftObject } from "../../request/draft.js";
import type { Webhook } from "./webhook.js";

/** What the rounds of one request remember. */
export class Reinvocation {
  /** Called, willing to be called again, and nothing has changed since. */
  #called = new Set<string>();
  readonly #due = new Set<string>();
  #output: unknown;
  #changed = false;

  /** Whether any webhook changed the object. */
  get isNeeded(): boolean {
    return this.#changed;
  }

  isDue({ id }: Webhook): boolean {
    return this.#due.has(id);
  }

  /** The object as the webhooks left it. */
  endRound(object: DraftObject | undefined): void {
    this.#output = object && cloneJson(object);
  }

  /** Whoever changed the object between the rounds has given all webhooks something new to see. */
  beginSecond(object: DraftObject | undefined): void {
    if (!deepEqual(this.#output, object)) this.#dueAgain();
  }

  /** A webhook was called, whatever came of it. */
  called(webhook: Webhook, changed: boolean): void {
    if (changed) {
      this.#changed = true;
      this.#dueAgain();
    }
    if (webhook.reinvokes) this.#called.add(webhook.id);
  }

  #dueAgain(): void {
    for (const id of this.#called) this.#due.add(id);
    this.#called = new Set();
  }
}
