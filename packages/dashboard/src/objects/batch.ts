// Changes collected for a moment and sent together, so that a burst is one message.
import type { Clock, Timer } from "@kubewright/api";

export class Batch<T> {
  readonly #clock: Clock;
  readonly #pause: number;
  readonly #send: (changed: readonly T[], removed: readonly string[]) => void;
  readonly #changed = new Map<string, T>();
  readonly #removed = new Set<string>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(
    clock: Clock,
    pause: number,
    send: (changed: readonly T[], removed: readonly string[]) => void,
  ) {
    this.#clock = clock;
    this.#pause = pause;
    this.#send = send;
  }

  change(id: string, value: T): void {
    this.#removed.delete(id);
    this.#changed.set(id, value);
    this.poke();
  }

  remove(id: string): void {
    this.#changed.delete(id);
    this.#removed.add(id);
    this.poke();
  }

  /** Sends soon, even when nothing changed: something around the items may have. */
  poke(): void {
    if (this.#isClosed) return;
    this.#timer ??= this.#clock.setTimer(this.#pause, () => this.#flush());
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #flush(): void {
    this.#timer = undefined;
    const changed = [...this.#changed.values()];
    const removed = [...this.#removed];
    this.#changed.clear();
    this.#removed.clear();
    this.#send(changed, removed);
  }
}
