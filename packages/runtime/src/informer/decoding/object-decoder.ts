// Decodes what the server sends of a kind: the events of a watch and the pages of a list. It reads JSON as JSON.parse does,
// with two differences. Parts of objects whose text came before are not decoded again (see the text memory), and
// managedFields, a third of what is sent and of use to nobody here, are passed over unless they hold our own.
//
// Guarantees
// - The result equals that of JSON.parse, managedFields apart; what it cannot read it leaves to JSON.parse.
// - The outer parts of an object (itself, its metadata) are its own; inner ones may be shared, and are frozen if they are.
// - Cost is bounded by the length of the text: what is deeper or longer than usual is not looked up.
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
import { TextMemory } from "./text-memory.js";

export interface ObjectDecoderOptions {
  /** Keeps managedFields that name this manager: none when it is empty, all of them when it is undefined. */
  readonly ownManager: string | undefined;
  /** May be shared between kinds. */
  readonly memory?: TextMemory | undefined;
}

/** Which part of a document is being read. Everything inside the parts of an object counts up from `inner`. */
const document = 0;
const items = 1;
const object = 2;
const metadata = 3;
const part = 4;
const inner = 5;
/** Deeper parts are left to JSON.parse. */
const deepest = inner + 12;

/** Shorter parts hold too little to look for in them. */
const smallPart = 160;
/** Longer parts are rarely alike. */
const longestPart = 8 * 1024;
const longestString = 512;

export class ObjectDecoder {
  readonly #memory: TextMemory;
  readonly #walker = new JsonWalker();
  /** How the manager is named in the text. */
  readonly #ownManager: string | undefined;
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
      const value = this.#value(document);
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

  #value(place: number): unknown {
    const byte = this.#bytes[this.#at];
    if (byte === quote) return this.#string();
    if (byte !== openBrace && byte !== openBracket) return this.#literal();
    // The outermost parts are rarely alike: what they hold is looked up.
    if (place < inner) return this.#opened(place, byte);
    return this.#part(place, byte);
  }

  /** A part of an object: one that is known, or a new one. */
  #part(place: number, byte: number): unknown {
    const start = this.#at;
    const end = this.#walker.overContainer(this.#bytes, start, longestPart);
    const { hash } = this.#walker;
    if (end > 0) {
      const known = this.#memory.find(this.#bytes, start, end, hash);
      if (known !== undefined) {
        this.#at = end;
        return known;
      }
    }
    const isSmall = end > 0 && end - start <= smallPart;
    const value = isSmall || place > deepest ? this.#parsed(start, end) : this.#opened(place, byte);
    if (end > 0) this.#memory.keep(this.#bytes, start, end, hash, value);
    return value;
  }

  #opened(place: number, byte: number | undefined): unknown {
    return byte === openBrace ? this.#fields(place) : this.#list(place);
  }

  #fields(place: number): Fields {
    const fields: Fields = {};
    this.#at++;
    if (this.#ends(closeBrace)) return fields;
    for (;;) {
      const name = this.#name();
      if (place === metadata && name === "managedFields" && this.#passOver()) {
        if (this.#ends(closeBrace)) return fields;
        this.#expect(comma);
        continue;
      }
      const value = this.#value(placeIn(place, name));
      // Assigning this name would change what the object is.
      if (name === "__proto__") Object.defineProperty(fields, name, { value, ...ordinary });
      else fields[name] = value;
      if (this.#ends(closeBrace)) return fields;
      this.#expect(comma);
    }
  }

  #list(place: number): unknown[] {
    const list: unknown[] = [];
    this.#at++;
    if (this.#ends(closeBracket)) return list;
    const within = placeIn(place, "");
    for (;;) {
      list.push(this.#value(within));
      if (this.#ends(closeBracket)) return list;
      this.#expect(comma);
    }
  }

  /** A name and its colon. */
  #name(): string {
    if (this.#bytes[this.#at] !== quote) throw new UnreadableTextError("a name is missing");
    const name = this.#string();
    this.#space();
    this.#expect(colon);
    return name;
  }

  #string(): string {
    const start = this.#at;
    const end = this.#walker.overString(this.#bytes, start);
    this.#at = end;
    if (end - start > longestString) return this.#text(start, end);
    const { hash } = this.#walker;
    const known = this.#memory.find(this.#bytes, start, end, hash);
    if (typeof known === "string") return known;
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
    if (own === undefined || this.#bytes[this.#at] !== openBracket) return false;
    const end = this.#walker.overContainer(this.#bytes, this.#at, this.#bytes.length);
    if (end === 0) return false;
    // As text: looking for bytes in bytes takes ten times as long.
    if (own !== "" && this.#bytes.toString("latin1", this.#at, end).includes(own)) return false;
    this.#at = end;
    return true;
  }

  /** Whether this is the end of what is being read. */
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

interface Fields {
  [name: string]: unknown;
}

const none = Buffer.alloc(0);
const ordinary = { writable: true, enumerable: true, configurable: true };

/** The bytes of a text, each as a character. */
function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** What the value of a name is: only so much of a document's shape has to be known. */
function placeIn(place: number, name: string): number {
  if (place >= part) return place + 1;
  if (place === items) return object;
  if (place === object) return name === "metadata" ? metadata : part;
  if (place === metadata) return inner;
  return name === "object" ? object : name === "items" ? items : part;
}
