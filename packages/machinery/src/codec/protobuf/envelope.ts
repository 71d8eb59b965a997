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
  const writer = new WireWriter(raw.length + apiVersion.length + kind.length + 32);
  writeEnvelopeStart(writer, { apiVersion, kind });
  writer.bytes(rawField, raw);
  writeEnvelopeEnd(writer);
  return writer.finish();
}

/** Where the message of an envelope is. */
export const rawField = 2;

/** Writes the part of the envelope before the message. */
export function writeEnvelopeStart(
  writer: WireWriter,
  { apiVersion, kind }: Pick<Envelope, "apiVersion" | "kind">,
): void {
  writer.raw(magic);
  const type = writer.begin(1);
  writer.string(1, apiVersion);
  writer.string(2, kind);
  writer.end(type);
}

/** Writes the part after it: no encoding, and no content type. */
export function writeEnvelopeEnd(writer: WireWriter): void {
  writer.string(3, "");
  writer.string(4, "");
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
