// The format of data files: a line that identifies the file, then frames. A frame is one write to the disk:
//
//   magic (4 bytes) | length of the text (4) | CRC-32 of the text (4) | CRC-32 of these twelve bytes (4) | text, UTF-8
//
// The next frame is written only when the one before it is on disk. So of all frames only the last can be incomplete, and one that
// is damaged and not the last was damaged later.
import { crc32 } from "node:zlib";

const frameHeaderBytes = 16;
const magic = 0x3157_464b;
/**
 * No frame is as long. Texts are JSON, without bytes below that of the line feed: what a user wrote that looks like a header spells a length
 * above this.
 */
const maxLength = 0x0a00_0000;
/** The bytes that disks write atomically, at least. */
const sector = 512;

/** One frame around a text. */
export function encodeFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(frameHeaderBytes + length);
  frame.write(text, frameHeaderBytes);
  frame.writeUInt32LE(magic, 0);
  frame.writeUInt32LE(length, 4);
  frame.writeUInt32LE(crc32(frame.subarray(frameHeaderBytes)), 8);
  frame.writeUInt32LE(crc32(frame.subarray(0, 12)), 12);
  return frame;
}

/** The result of reading at an offset of a file. */
export type FrameAt =
  | { readonly state: "whole"; readonly text: Buffer; readonly end: number }
  /** It was being written when the process or the machine stopped. */
  | { readonly state: "torn" }
  | { readonly state: "corrupt"; readonly why: string };

/** Reads the frame at an offset. */
export function frameAt(bytes: Buffer, offset: number): FrameAt {
  const left = bytes.length - offset;
  if (left < frameHeaderBytes) return { state: "torn" };
  const length = lengthAt(bytes, offset);
  if (length === undefined)
    return hasUnwrittenSector(bytes, offset, offset + frameHeaderBytes)
      ? tornIfLast(bytes, offset + frameHeaderBytes, "its header is missing")
      : { state: "corrupt", why: "its header does not match its checksum" };
  const start = offset + frameHeaderBytes;
  if (start + length > bytes.length) return { state: "torn" };
  const text = bytes.subarray(start, start + length);
  if (crc32(text) === bytes.readUInt32LE(offset + 8)) return { state: "whole", text, end: start + length };
  const why = "its contents do not match their checksum";
  return hasUnwrittenSector(bytes, start, start + length)
    ? tornIfLast(bytes, start + length, why)
    : { state: "corrupt", why };
}

/** The length in a header; undefined where there is no whole header. */
function lengthAt(bytes: Buffer, offset: number): number | undefined {
  if (offset + frameHeaderBytes > bytes.length || bytes.readUInt32LE(offset) !== magic) return undefined;
  const isWhole = crc32(bytes.subarray(offset, offset + 12)) === bytes.readUInt32LE(offset + 12);
  return isWhole ? bytes.readUInt32LE(offset + 4) : undefined;
}

/** A frame before an intact one was once intact itself, so it is damaged, not torn. The next one is looked for from `from` on. */
function tornIfLast(bytes: Buffer, from: number, why: string): FrameAt {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(magic);
  for (let at = bytes.indexOf(mark, from); at !== -1; at = bytes.indexOf(mark, at + 1))
    if ((lengthAt(bytes, at) ?? maxLength) < maxLength) return { state: "corrupt", why };
  return { state: "torn" };
}

/** Files grow before they are filled: what never reached the disk reads as zeros, which no text has. */
function hasUnwrittenSector(bytes: Buffer, start: number, end: number): boolean {
  for (let from = start; from < end; ) {
    const to = Math.min(end, from - (from % sector) + sector);
    if (bytes.subarray(from, to).every((byte) => byte === 0)) return true;
    from = to;
  }
  return false;
}
