// The protobuf wire format, as much of it as etcd's messages need: varints, byte strings, texts, messages and lists of them. A message
// is a table of field numbers; what the table does not name is skipped, so that newer servers may say more.

/** The type of a field. 64-bit numbers are bigints, since ids of members use all 64 bits. */
export type FieldType = "uint64" | "int64" | "bool" | "bytes" | "string" | Message;

export interface Field {
  readonly number: number;
  readonly type: FieldType;
  readonly repeated?: boolean;
}

export type Message = { readonly [name: string]: Field };

type Scalar<Type extends FieldType> = Type extends "uint64" | "int64"
  ? bigint
  : Type extends "bool"
    ? boolean
    : Type extends "bytes"
      ? Uint8Array
      : Type extends "string"
        ? string
        : Type extends Message
          ? Decoded<Type>
          : never;

/** A message as read: fields that were not sent have their zero value, as proto3 has it. */
export type Decoded<M extends Message> = {
  readonly [Name in keyof M]: M[Name] extends { readonly repeated: true }
    ? readonly Scalar<M[Name]["type"]>[]
    : M[Name]["type"] extends Message
      ? Scalar<M[Name]["type"]> | undefined
      : Scalar<M[Name]["type"]>;
};

/** A message to write: what is left out is not sent. */
export type Encodable<M extends Message> = Partial<Decoded<M>>;

const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

export function encode<M extends Message>(message: M, value: Encodable<M>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, field] of Object.entries(message)) {
    const given: unknown = value[name];
    if (given === undefined) continue;
    const items = field.repeated && Array.isArray(given) ? given : [given];
    for (const item of items) parts.push(encodeField(field, item));
  }
  return Buffer.concat(parts);
}

function encodeField({ number, type }: Field, value: unknown): Buffer {
  const tag = (wireType: number): Buffer => varint((BigInt(number) << 3n) | BigInt(wireType));
  if (type === "uint64" || type === "int64")
    return Buffer.concat([tag(wire.varint), varint(BigInt.asUintN(64, value as bigint))]);
  if (type === "bool") return Buffer.concat([tag(wire.varint), varint(value ? 1n : 0n)]);
  const bytes =
    type === "bytes"
      ? Buffer.from(value as Uint8Array)
      : type === "string"
        ? Buffer.from(value as string, "utf8")
        : encode(type, value as Encodable<Message>);
  return Buffer.concat([tag(wire.bytes), varint(BigInt(bytes.length)), bytes]);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** Reads a message. Throws a RangeError for bytes that are none. */
export function decode<M extends Message>(message: M, bytes: Uint8Array): Decoded<M> {
  const result = zeroOf(message);
  const byNumber = new Map(Object.entries(message).map(([name, field]) => [field.number, { name, field }]));
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const found = byNumber.get(tag >>> 3);
    if (!found || (tag & 7) !== wireTypeOf(found.field.type)) {
      reader.skip(tag & 7);
      continue;
    }
    const value = readField(reader, found.field.type);
    const before = result[found.name];
    if (Array.isArray(before)) before.push(value);
    else result[found.name] = value;
  }
  return result as Decoded<M>;
}

function zeroOf(message: Message): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, { type, repeated }] of Object.entries(message))
    result[name] = repeated ? [] : typeof type === "object" ? undefined : zeroes[type];
  return result;
}

const zeroes = { uint64: 0n, int64: 0n, bool: false, bytes: new Uint8Array(), string: "" } as const;

const wireTypeOf = (type: FieldType): number =>
  type === "uint64" || type === "int64" || type === "bool" ? wire.varint : wire.bytes;

function readField(reader: Reader, type: FieldType): unknown {
  if (type === "uint64") return reader.varint();
  if (type === "int64") return BigInt.asIntN(64, reader.varint());
  if (type === "bool") return reader.varint() !== 0n;
  const bytes = reader.bytes();
  if (type === "bytes") return bytes;
  return type === "string" ? Buffer.from(bytes).toString("utf8") : decode(type, bytes);
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("the message ends within a number");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError("a number in the message has more than 64 bits");
  }

  bytes(): Uint8Array {
    const length = this.varint();
    return this.#take(length);
  }

  skip(wireType: number): void {
    if (wireType === wire.varint) this.varint();
    else if (wireType === wire.fixed64) this.#take(8n);
    else if (wireType === wire.fixed32) this.#take(4n);
    else if (wireType === wire.bytes) this.bytes();
    else throw new RangeError(`the message has wire type ${wireType}, which proto3 has not`);
  }

  #take(length: bigint): Uint8Array {
    if (length > BigInt(this.#bytes.length - this.#at))
      throw new RangeError("the message ends within a field");
    const start = this.#at;
    this.#at += Number(length);
    return this.#bytes.subarray(start, this.#at);
  }
}
