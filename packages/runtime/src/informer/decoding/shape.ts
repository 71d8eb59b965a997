// The structure of the objects of a kind, learned from those decoded so far: which name follows which, and its last value. Most
// texts need not be looked up then, only compared with the one that is expected. A guess is compared byte by byte, so that a
// wrong one costs time and nothing else.

/** Names that are learned of one object, and in all. More than this is data, not structure. */
const maxNames = 128;
const maxFields = 4096;
const longestName = 256;
/** Wrong guesses in a row after which there are no more. */
const maxWrong = 4;
/** Unknown values in a row after which they are taken to be of their own each time; one of so many is still looked up. */
const enough = 24;
const lookedUp = 15;

/** A name in its place, and what is known of its values. */
export class Field {
  readonly name: string;
  /** As it stands in the text, with its quotes and colon. */
  readonly text: Uint8Array;
  /** The fields of its value, or those of its elements. */
  readonly inside: Shape;
  /** The one that followed last. */
  next: Field | undefined = undefined;
  /** The index of the last known value in the text memory. */
  place = -1;
  #wrong = 0;
  #unknown = 0;

  constructor(name: string, text: Uint8Array, budget: { left: number }) {
    this.name = name;
    this.text = text;
    this.inside = new Shape(budget);
  }

  /** True when the last value is worth a guess. */
  get isSteady(): boolean {
    return this.#wrong < maxWrong && this.place >= 0;
  }

  /** True when values are too different to look for. */
  get isVaried(): boolean {
    return this.#unknown >= enough && (++this.#unknown & lookedUp) !== 0;
  }

  /** The guess was wrong. */
  missed(): void {
    this.#wrong++;
  }

  /** The value is known; it is at this place of the memory. */
  known(place: number): void {
    this.#wrong = place === this.place ? 0 : this.#wrong + 1;
    this.place = place;
    this.#unknown = 0;
  }

  unknown(): void {
    if (this.#unknown < enough) this.#unknown++;
  }
}

/** The fields of an object, as far as they were seen. */
export class Shape {
  /** The first one of the last object. */
  first: Field | undefined = undefined;
  readonly #budget: { left: number };
  #fields: Map<string, Field> | undefined;
  #element: Field | undefined;

  constructor(budget: { left: number } = { left: maxFields }) {
    this.#budget = budget;
  }

  /** The learned structure of all elements of a list together. */
  get element(): Field {
    this.#element ??= new Field("", none, this.#budget);
    return this.#element;
  }

  /** The field of this name: one that is learned, or one for this time only. */
  field(name: string, text: Uint8Array): Field {
    this.#fields ??= new Map();
    const known = this.#fields.get(name);
    if (known) return known;
    const field = new Field(name, Uint8Array.from(text), this.#budget);
    if (this.#fields.size < maxNames && text.length <= longestName && this.#budget.left-- > 0)
      this.#fields.set(name, field);
    return field;
  }
}

const none = new Uint8Array(0);

/** True when these bytes stand there. */
export function standsAt(text: Uint8Array, bytes: Uint8Array, at: number): boolean {
  const { length } = text;
  if (at + length > bytes.length) return false;
  // The last ones first: names and values begin alike more often than they end alike.
  for (let index = length - 1; index >= 0; index--) if (bytes[at + index] !== text[index]) return false;
  return true;
}
