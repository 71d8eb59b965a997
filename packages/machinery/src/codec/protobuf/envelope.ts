import { ProtobufError } from "./protobuf-error.js";
import { WireReader, wireType } from "./wire-reader.js";
import { WireWriter } from "./wire-writer.js";

const magic = Buffer.from("k8s\0", "latin1");

/** `runtime.Unknown`, unwrapped. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

/** Opens an envelope. Throws ProtobufError. */
export function openEnvelope(bytes: Uint8Array): Envelope {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length === 0) throw new ProtobufError("empty data");
  if (!buffer.subarray(0, magic.length).equals(magic)) {
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${magic.join(" ")}]`,
    );
  }
  const reader = new WireReader(buffer, magic.length);
  let type = { apiVersion: "", kind: "" };
  let raw: Buffer = Buffer.alloc(0);
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === 8 + wireType.bytes) type = typeMeta(reader.message());
    else if (tag === 16 + wireType.bytes) raw = reader.bytes();
    else reader.skip(tag & 7);
  }
  return { ...type, raw };
}

/** Wraps the bytes of a message. */
export function sealEnvelope({ apiVersion, kind, raw }: Envelope): Buffer {
  const type = new WireWriter();
  type.string(1, apiVersion);
  type.string(2, kind);
  const unknown = new WireWriter();
  unknown.bytes(1, type.finish());
  unknown.bytes(2, raw);
  unknown.string(3, "");
  unknown.string(4, "");
  return Buffer.concat([magic, unknown.finish()]);
}

function typeMeta(reader: WireReader): { apiVersion: string; kind: string } {
  let apiVersion = "";
  let kind = "";
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === 8 + wireType.bytes) apiVersion = reader.string();
    else if (tag === 16 + wireType.bytes) kind = reader.string();
    else reader.skip(tag & 7);
  }
  return { apiVersion, kind };
}
