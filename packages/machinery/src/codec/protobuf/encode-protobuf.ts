// Answers for Go clients: `application/vnd.kubernetes.protobuf`.
import {
  apiVersionOf,
  type GroupVersionKind,
  isObject,
  parseApiVersion,
  type WatchEvent,
} from "@kubewright/api";
import { protobufMessageOf } from "@kubewright/api/type-info";
import { writeMessage } from "./encode-message.js";
import { rawField, writeEnvelopeEnd, writeEnvelopeStart } from "./envelope.js";
import { ProtobufError } from "./protobuf-error.js";
import { WireWriter } from "./wire-writer.js";

/** Whether objects of a kind can be written as protobuf: those of custom kinds, and tables, cannot. */
export function hasProtobuf(gvk: GroupVersionKind): boolean {
  return protobufMessageOf(gvk) !== undefined;
}

/** Encodes an object of a built-in kind as Go does. Throws ProtobufError for kinds without a message. */
export function encodeProtobuf(value: unknown, gvk: GroupVersionKind = gvkOf(value)): Uint8Array {
  const writer = new WireWriter(1024);
  writeEnvelope(writer, value, gvk);
  return writer.finish();
}

/** One event of a watch in the frame that says how long it is. Throws ProtobufError. */
export function encodeProtobufEvent({ type, object }: WatchEvent<unknown>): Buffer {
  const writer = new WireWriter(2048);
  writer.raw(frameHeader);
  writer.string(1, type);
  const extension = writer.begin(2);
  const raw = writer.begin(1);
  writeEnvelope(writer, object, gvkOf(object));
  writer.end(raw);
  writer.end(extension);
  const frame = writer.finish();
  frame.writeUInt32BE(frame.length - frameHeader.length);
  return frame;
}

const frameHeader = Buffer.alloc(4);

function writeEnvelope(writer: WireWriter, value: unknown, gvk: GroupVersionKind): void {
  writeEnvelopeStart(writer, { apiVersion: apiVersionOf(gvk), kind: gvk.kind });
  const raw = writer.begin(rawField);
  writeMessage(writer, value, messageOf(gvk));
  writer.end(raw);
  writeEnvelopeEnd(writer);
}

/**
 * Encodes a list piece by piece, for callers that have other things to do in between. The first piece says how long the items are, so it is
 * made last. Throws ProtobufError.
 */
export class ProtobufListEncoder {
  readonly #type: { readonly apiVersion: string; readonly kind: string };
  readonly #item: string;
  /** The list as it is without its items. */
  readonly #list: Uint8Array;
  #writer = new WireWriter();

  constructor(list: { readonly apiVersion: string; readonly kind: string }) {
    const gvk = gvkOf(list);
    this.#type = list;
    this.#item = messageOf({ ...gvk, kind: gvk.kind.slice(0, -"List".length) });
    const writer = new WireWriter();
    writeMessage(writer, { ...list, items: undefined }, messageOf(gvk));
    this.#list = writer.finish();
  }

  /** Adds an item to the piece; returns how many bytes that has by now. */
  add(item: unknown): number {
    const start = this.#writer.begin(itemsField);
    writeMessage(this.#writer, item, this.#item);
    this.#writer.end(start);
    return this.#writer.finish().length;
  }

  /** The piece, and begins the next one. */
  take(): Uint8Array {
    const piece = this.#writer.finish();
    this.#writer = new WireWriter(piece.length + 1024);
    return piece;
  }

  /** What comes before items of that many bytes. */
  head(itemBytes: number): Uint8Array {
    const writer = new WireWriter();
    writeEnvelopeStart(writer, this.#type);
    writer.beginBytes(rawField, this.#list.length + itemBytes);
    writer.raw(this.#list);
    return writer.finish();
  }

  /** What comes after all items. */
  tail(): Uint8Array {
    const writer = new WireWriter();
    writeEnvelopeEnd(writer);
    return writer.finish();
  }
}

/** The last field of every list. */
const itemsField = 2;

function messageOf(gvk: GroupVersionKind): string {
  // The oldest discovery documents name no version.
  const message = protobufMessageOf(gvk.version === "" ? { ...gvk, version: "v1" } : gvk);
  if (message === undefined)
    throw new ProtobufError(`${apiVersionOf(gvk)} ${gvk.kind} has no protobuf message`);
  return message;
}

function gvkOf(value: unknown): GroupVersionKind {
  const { apiVersion, kind } = isObject(value) ? value : {};
  const groupVersion = typeof apiVersion === "string" ? parseApiVersion(apiVersion) : undefined;
  return { ...(groupVersion ?? { group: "", version: "" }), kind: typeof kind === "string" ? kind : "" };
}
