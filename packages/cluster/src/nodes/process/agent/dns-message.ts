// Messages of the domain name system (RFC 1035), as far as a cluster needs them: one question, answers of four types.

export const recordTypes = { A: 1, CNAME: 5, PTR: 12, AAAA: 28, SRV: 33 } as const;
export const responseCodes = { ok: 0, malformed: 1, noSuchName: 3, refused: 5 } as const;

export interface Question {
  readonly id: number;
  readonly flags: number;
  /** In lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
  /** The question as it was asked, to be repeated. */
  readonly bytes: Buffer;
}

export type Answer =
  | { readonly type: "A"; readonly name: string; readonly address: string }
  | { readonly type: "CNAME" | "PTR"; readonly name: string; readonly target: string }
  | { readonly type: "SRV"; readonly name: string; readonly port: number; readonly target: string };

const headerLength = 12;
/** Short: pods come and go. */
const timeToLive = 5;

/** Reads a query; undefined when it is none that can be answered. */
export function readQuestion(message: Buffer): Question | undefined {
  if (message.length < headerLength || message.readUInt16BE(4) !== 1) return undefined;
  const flags = message.readUInt16BE(2);
  if ((flags & 0x8000) !== 0) return undefined;
  const labels: string[] = [];
  let at = headerLength;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63 || at + 1 + length > message.length) return undefined;
    at += 1;
    if (length === 0) break;
    labels.push(message.toString("latin1", at, at + length));
    at += length;
  }
  if (at + 4 > message.length) return undefined;
  return {
    id: message.readUInt16BE(0),
    flags,
    name: labels.join(".").toLowerCase(),
    type: message.readUInt16BE(at),
    bytes: message.subarray(headerLength, at + 4),
  };
}

/** The answer to a query. What does not fit into `limit` bytes is cut off, and the truncation flag makes the client ask over TCP. */
export function writeResponse(
  { id, flags, bytes }: Question,
  code: number,
  answers: readonly Answer[],
  limit: number,
): Buffer {
  const records = answers.map(recordOf);
  let size = headerLength + bytes.length;
  const fitting = records.filter((record) => {
    size += record.length;
    return size <= limit;
  });
  const isCut = fitting.length < records.length;
  const header = Buffer.alloc(headerLength);
  header.writeUInt16BE(id, 0);
  // A response, authoritative; the client's "recursion desired" bit is copied.
  header.writeUInt16BE(0x8480 | (flags & 0x0100) | (isCut ? 0x0200 : 0) | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(fitting.length, 6);
  return Buffer.concat([header, bytes, ...fitting]);
}

function recordOf(answer: Answer): Buffer {
  const data = dataOf(answer);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(recordTypes[answer.type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(timeToLive, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(answer.name), fixed, data]);
}

function dataOf(answer: Answer): Buffer {
  if (answer.type === "A") return Buffer.from(answer.address.split(".").map(Number));
  if (answer.type !== "SRV") return nameBytes(answer.target);
  const fixed = Buffer.alloc(6);
  fixed.writeUInt16BE(100, 2);
  fixed.writeUInt16BE(answer.port, 4);
  return Buffer.concat([fixed, nameBytes(answer.target)]);
}

function nameBytes(name: string): Buffer {
  const labels = name === "" ? [] : name.split(".");
  const parts = labels.flatMap((label) => [
    Buffer.of(Math.min(63, label.length)),
    Buffer.from(label.slice(0, 63), "latin1"),
  ]);
  return Buffer.concat([...parts, Buffer.of(0)]);
}
