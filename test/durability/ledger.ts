// What a client was told of one object, and what may therefore be found later.

/** The value of an object; undefined when there is none. */
type Value = string | undefined;

export class Ledger {
  #sure: Value;
  #sureVersion = 0;
  /** Sent, and never answered: it happened or it did not. */
  #open: { readonly value: Value } | undefined;

  get exists(): boolean {
    return this.#sure !== undefined;
  }

  begin(value: Value): void {
    this.#open = { value };
  }

  acknowledged(version: number): void {
    if (this.#open) this.#sure = this.#open.value;
    this.#sureVersion = version;
    this.#open = undefined;
  }

  /** Says what is wrong with what was found, and goes on from it. */
  settle(found: Value, version: number): string | undefined {
    const wanted = this.#open ? [this.#sure, this.#open.value] : [this.#sure];
    const isRight = wanted.includes(found);
    const isOld = found !== undefined && version < this.#sureVersion;
    const sure = this.#sure;
    this.#sure = found;
    this.#sureVersion = version;
    this.#open = undefined;
    if (!isRight) return `found ${found} where ${sure} was acknowledged`;
    return isOld ? `found version ${version}, older than one that was acknowledged` : undefined;
  }
}
