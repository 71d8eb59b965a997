// Decodes what the server sends of a kind: the events of a watch and the pages of a list. It reads JSON as JSON.parse does,
// with two differences. Parts of objects whose text came before are not decoded again (see the text memory), and
// managedFields, a third of the bytes and not used here, are skipped unless they hold our own. Which parts
// those are is guessed from the object before (see the shape).
//
// Guarantees
// - The result equals that of JSON.parse, managedFields apart; what it cannot read it leaves to JSON.parse.
// - The outer parts of an object (itself, its metadata) are its own; inner ones may be shared, and are frozen if they are.
// - Cost is bounded by the length of the text: what is deeper or longer than usual is not looked up.
import { deepest, document, inner, metadata, placeIn } from "./document-place.js";
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  JsonWalker,
  openBrace,
  openBracket,
  quote,
  UnreadableTextError,
} from "./json-text.js";
import { type Field, Shape, standsAt } from "./shape.js";
import { TextMemory } from "./text-memory.js";

export interface ObjectDecoderOptions {
  /** Keeps managedFields that name this manager: none when it is empty, all of them when it is undefined. */
  readonly ownManager: string | undefined;
  /** May be shared between kinds. */
  readonly memory?: TextMemory | undefined;
}

/** Shorter parts hold too little to look for in them. */
const smallPart = 160;
/** Longer parts are rarely alike. */
const longestPart = 8 * 1024;
const longestString = 512;

export class ObjectDecoder {
  readonly #memory: TextMemory;
  readonly #walker = new JsonWalker();
  /** The name of our field manager, as JSON text. */
  readonly #ownManager: string | undefined;
  readonly #shape = new Shape();
  /** The managedFields that were passed over last: others are often the same. */
  #passed = none;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor({ ownManager, memory = new TextMemory() }: ObjectDecoderOptions) {
    this.#memory = memory;
    this.#ownManager = ownManager && latin1(`"manager":${JSON.stringify(ownManager)}`);
  }

  /** The value of a JSON text: an event, or a list. Throws what JSON.parse throws. */
  decode(text: Uint8Array): unknown {
    this.#bytes = Buffer.isBuffer(text) ? text : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    this.#at = 0;
    try {
      this.#space();
      const value = this.#value(document, this.#shape.element);
      this.#space();
      if (this.#at < this.#bytes.length) throw new UnreadableTextError("something follows");
      return value;
    } catch (error) {
      if (!(error instanceof UnreadableTextError) && !(error instanceof SyntaxError)) throw error;
      return JSON.parse(this.#bytes.toString("utf8"));
    } finally {
      this.#bytes = none;
    }
  }

  #value(place: number, field: Field): unknown {
    const byte = this.#bytes[this.#at];
    if (byte === quote) return this.#string(field);
    if (byte !== openBrace && byte !== openBracket) return this.#literal();
    // The outermost parts are rarely alike: what they hold is looked up.
    if (place < inner) return this.#opened(place, byte, field.inside);
    return this.#part(place, byte, field);
  }

  /** A part of an object: one that is known, or a new one. */
  #part(place: number, byte: number, field: Field): unknown {
    const start = this.#at;
    if (this.#isAsBefore(field)) return this.#memory.valueAt(field.place);
    if (place <= deepest && field.isVaried) return this.#opened(place, byte, field.inside);
    const end = this.#walker.overContainer(this.#bytes, start, longestPart);
    const { hash } = this.#walker;
    if (end > 0) {
      const known = this.#memory.find(this.#bytes, start, end, hash);
      if (known >= 0) {
        field.known(known);
        this.#at = end;
        return this.#memory.valueAt(known);
      }
      field.unknown();
    }
    const isSmall = end > 0 && end - start <= smallPart;
    const value =
      isSmall || place > deepest ? this.#parsed(start, end) : this.#opened(place, byte, field.inside);
    if (end > 0) this.#memory.keep(this.#bytes, start, end, hash, value);
    return value;
  }

  /** True when the field has the value it had last; if so, it is passed. */
  #isAsBefore(field: Field): boolean {
    if (!field.isSteady) return false;
    const length = this.#memory.lengthAt(field.place, this.#bytes, this.#at);
    if (length === 0) field.missed();
    this.#at += length;
    return length > 0;
  }

  #opened(place: number, byte: number | undefined, shape: Shape): unknown {
    return byte === openBrace ? this.#fields(place, shape) : this.#list(place, shape);
  }

  #fields(place: number, shape: Shape): Fields {
    const fields: Fields = {};
    this.#at++;
    if (this.#ends(closeBrace)) return fields;
    let previous: Field | undefined;
    for (let count = 1; ; count++) {
      const field = this.#name(shape, previous);
      previous = field;
      const { name } = field;
      if (place === metadata && name === "managedFields" && this.#passOver()) {
        if (this.#ends(closeBrace)) return fields;
        this.#expect(comma);
        continue;
      }
      const value = this.#value(placeIn(place, name), field);
      // Assigning `__proto__` would change what the object is, and more names than that would make it a hash table.
      if (name === "__proto__" || count > assignedNames)
        Object.defineProperty(fields, name, { value, ...ordinary });
      else fields[name] = value;
      if (this.#ends(closeBrace)) return fields;
      this.#expect(comma);
    }
  }

  #list(place: number, { element }: Shape): unknown[] {
    const list: unknown[] = [];
    this.#at++;
    if (this.#ends(closeBracket)) return list;
    const within = placeIn(place, "");
    for (;;) {
      list.push(this.#value(within, element));
      if (this.#ends(closeBracket)) return list;
      this.#expect(comma);
    }
  }

  /** A name and its colon: the one that followed the last time, or another. */
  #name(shape: Shape, previous: Field | undefined): Field {
    const guess = previous ? previous.next : shape.first;
    if (guess && standsAt(guess.text, this.#bytes, this.#at)) {
      this.#at += guess.text.length;
      this.#space();
      return guess;
    }
    const start = this.#at;
    if (this.#bytes[start] !== quote) throw new UnreadableTextError("a name is missing");
    const name = this.#known();
    this.#space();
    if (this.#bytes[this.#at++] !== colon) throw new UnreadableTextError("a colon is missing");
    const field = shape.field(name, this.#bytes.subarray(start, this.#at));
    this.#space();
    if (previous) previous.next = field;
    else shape.first = field;
    return field;
  }

  #string(field: Field): string {
    if (this.#isAsBefore(field)) return this.#memory.textAt(field.place);
    if (!field.isVaried) return this.#known(field);
    const start = this.#at;
    this.#at = this.#walker.toEnd(this.#bytes, start);
    return this.#text(start, this.#at);
  }

  /** A string, which is looked up. */
  #known(field?: Field): string {
    const start = this.#at;
    const end = this.#walker.overString(this.#bytes, start);
    this.#at = end;
    if (end - start > longestString) return this.#text(start, end);
    const { hash } = this.#walker;
    const known = this.#memory.find(this.#bytes, start, end, hash);
    if (known >= 0) {
      field?.known(known);
      return this.#memory.textAt(known);
    }
    field?.unknown();
    const text = this.#text(start, end);
    this.#memory.keep(this.#bytes, start, end, hash, text);
    return text;
  }

  #text(start: number, end: number): string {
    const { isPlain, isAscii } = this.#walker;
    if (!isPlain) return String(JSON.parse(this.#bytes.toString("utf8", start, end)));
    return this.#bytes.toString(isAscii ? "latin1" : "utf8", start + 1, end - 1);
  }

  /** A number, true, false or null. */
  #literal(): unknown {
    const bytes = this.#bytes;
    const start = this.#at;
    let number = 0;
    let isSmall = true;
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at] as number;
      if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20) break;
      if (byte >= 0x30 && byte <= 0x39) number = number * 10 + byte - 0x30;
      else isSmall = false;
    }
    const length = this.#at - start;
    if (isSmall && length > 0 && length < 16 && (bytes[start] !== 0x30 || length === 1)) return number;
    return JSON.parse(bytes.toString("latin1", start, this.#at));
  }

  /** A part that is not worth opening, or too deep for it. */
  #parsed(start: number, knownEnd: number): unknown {
    const end = knownEnd || this.#walker.overContainer(this.#bytes, start, this.#bytes.length);
    if (end === 0) throw new UnreadableTextError("a bracket is not closed");
    this.#at = end;
    return JSON.parse(this.#bytes.toString("utf8", start, end));
  }

  /** Passes over managedFields, unless some of them are ours. */
  #passOver(): boolean {
    const own = this.#ownManager;
    const start = this.#at;
    if (own === undefined || this.#bytes[start] !== openBracket) return false;
    if (this.#passesAgain(start)) return true;
    const end = this.#walker.toContainerEnd(this.#bytes, start);
    if (end === 0) return false;
    // As text: looking for bytes in bytes takes ten times as long.
    if (own !== "" && this.#bytes.toString("latin1", start, end).includes(own)) return false;
    if (end - start <= longestPart) this.#passed = Buffer.from(this.#bytes.subarray(start, end));
    this.#at = end;
    return true;
  }

  /** Passes over what was passed over before. */
  #passesAgain(start: number): boolean {
    const { length } = this.#passed;
    const end = start + length;
    if (length === 0 || end > this.#bytes.length) return false;
    if (this.#passed.compare(this.#bytes, start, end) !== 0) return false;
    this.#at = end;
    return true;
  }

  /** True when this is the end of what is being read. */
  #ends(byte: number): boolean {
    this.#space();
    if (this.#bytes[this.#at] !== byte) return false;
    this.#at++;
    return true;
  }

  #expect(byte: number): void {
    if (this.#bytes[this.#at] !== byte) throw new UnreadableTextError("something else was expected");
    this.#at++;
    this.#space();
  }

  #space(): void {
    for (let byte = this.#bytes[this.#at]; byte !== undefined && byte <= 0x20; byte = this.#bytes[this.#at]) {
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
        throw new UnreadableTextError("no space");
      this.#at++;
    }
  }
}

/** V8 makes an object to which more names are assigned with brackets a hash table, which takes twice the memory. */
const assignedNames = 12;

interface Fields {
  [name: string]: unknown;
}

const none = Buffer.alloc(0);
const ordinary = { writable: true, enumerable: true, configurable: true };

/** The bytes of a text, each as a character. */
function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
