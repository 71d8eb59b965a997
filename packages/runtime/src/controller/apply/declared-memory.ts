// Remembers what was last declared of each child, to distinguish a new declaration from one that others have undone.

const limit = 10_000;

export class DeclaredMemory {
  /** A hash of the declaration, by the child's kind and key. */
  readonly #hashes = new Map<string, number>();

  /** True when this very declaration was the last one sent; undefined when nothing is known of the child. */
  isSame(child: string, declared: string): boolean | undefined {
    const hash = this.#hashes.get(child);
    return hash === undefined ? undefined : hash === hashOf(declared);
  }

  /** Records a declaration that was sent, or found to be there already. */
  remember(child: string, declared: string): void {
    this.#hashes.delete(child);
    this.#hashes.set(child, hashOf(declared));
    for (const oldest of this.#hashes.keys()) {
      if (this.#hashes.size <= limit) return;
      this.#hashes.delete(oldest);
    }
  }

  forget(child: string): void {
    this.#hashes.delete(child);
  }
}

/** FNV-1a. Telling declarations apart need not be exact here. */
export function hashOf(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
