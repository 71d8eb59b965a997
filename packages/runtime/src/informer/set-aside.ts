// Objects that could not be cached. They are kept out, counted and named, and everything else goes on.
import type { ObjectMeta } from "@kubewright/api";

/** An object that was set aside, and why. */
export interface SetAsideObject {
  readonly key: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly message: string;
}

const limit = 1000;

/** The objects set aside now, the first thousand of them, and how often it happened. */
export class SetAside {
  readonly #objects = new Map<string, SetAsideObject>();
  #count = 0;

  /** The total count of objects set aside. */
  get count(): number {
    return this.#count;
  }

  get isEmpty(): boolean {
    return this.#objects.size === 0;
  }

  get objects(): readonly SetAsideObject[] {
    return [...this.#objects.values()];
  }

  /** Sets one aside; false when it was for the same reason before, so that one bad object is not reported endlessly. */
  add(key: string, metadata: ObjectMeta | undefined, message: string): boolean {
    this.#count++;
    const known = this.#objects.get(key);
    if (key === "" || (known === undefined && this.#objects.size >= limit)) return true;
    const { uid, resourceVersion } = metadata ?? {};
    this.#objects.set(key, { key, uid, resourceVersion, message });
    return known?.message !== message;
  }

  /** The object is gone or well again. */
  delete(key: string): void {
    this.#objects.delete(key);
  }
}
