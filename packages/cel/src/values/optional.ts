// Optional values: `self.?field` is one.

/** A value that may be missing. */
export class Optional {
  readonly hasValue: boolean;
  readonly value: unknown;

  private constructor(hasValue: boolean, value: unknown) {
    this.hasValue = hasValue;
    this.value = value;
  }

  static of(value: unknown): Optional {
    return new Optional(true, value);
  }

  static readonly none = new Optional(false, undefined);
}
