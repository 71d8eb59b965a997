// MongoDB's wire protocol, as far as drivers use it today: OP_MSG, and OP_QUERY for the first greeting of a connection.
import { BSON } from "mongodb";
import type { Document } from "../client/mongo-member.js";
import { asStored } from "./operations.js";

const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
const headerSize = 16;
/** mongod's own limit. */
const largestMessage = 48_000_000;

export interface Request {
  readonly id: number;
  readonly isLegacy: boolean;
  /** The client wants no answer. */
  readonly isSilent: boolean;
  readonly command: Document;
}

export class WireError extends Error {
  override readonly name = "WireError";
}

/** Cuts a stream of bytes into requests. */
export class RequestReader {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): readonly Request[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const requests: Request[] = [];
    while (this.#rest.length >= headerSize) {
      const length = this.#rest.readInt32LE(0);
      if (length < headerSize || length > largestMessage) throw new WireError(`a message of ${length} bytes`);
      if (this.#rest.length < length) break;
      requests.push(parse(this.#rest.subarray(0, length)));
      this.#rest = this.#rest.subarray(length);
    }
    return requests;
  }
}

function parse(message: Buffer): Request {
  const id = message.readInt32LE(4);
  const code = message.readInt32LE(12);
  if (code === opMsg) return parseMessage(id, message);
  if (code === opQuery) return parseQuery(id, message);
  throw new WireError(`operation ${code} is not supported`);
}

const documentAt = (
  message: Buffer,
  at: number,
  options: BSON.DeserializeOptions = { promoteBuffers: false },
): { readonly document: Document; readonly end: number } => {
  const end = at + message.readInt32LE(at);
  return { document: BSON.deserialize(message.subarray(at, end), options), end };
};

function parseMessage(id: number, message: Buffer): Request {
  const flags = message.readUInt32LE(headerSize);
  // A checksum takes the last four bytes.
  const size = message.length - (flags & 1 ? 4 : 0);
  const command: Record<string, unknown> = {};
  for (let at = headerSize + 4; at < size; ) {
    const kind = message[at];
    at += 1;
    if (kind === 0) {
      const { document, end } = documentAt(message, at);
      Object.assign(command, document);
      if ("insert" in document && "documents" in document)
        command["documents"] = documentAt(message, at, asStored).document["documents"];
      at = end;
    } else if (kind === 1) {
      const end = at + message.readInt32LE(at);
      const nameEnd = message.indexOf(0, at + 4);
      const documents: Document[] = [];
      for (let inner = nameEnd + 1; inner < end; ) {
        const { document, end: next } = documentAt(message, inner, asStored);
        documents.push(document);
        inner = next;
      }
      command[message.toString("utf8", at + 4, nameEnd)] = documents;
      at = end;
    } else throw new WireError(`section ${kind} is not known`);
  }
  return { id, isLegacy: false, isSilent: (flags & 2) !== 0, command };
}

function parseQuery(id: number, message: Buffer): Request {
  const nameEnd = message.indexOf(0, headerSize + 4);
  const db = message.toString("utf8", headerSize + 4, nameEnd).split(".")[0] ?? "admin";
  const { document } = documentAt(message, nameEnd + 9);
  return { id, isLegacy: true, isSilent: false, command: { ...document, $db: db } };
}

export function encodeAnswer(request: Request, answer: Document): Buffer {
  const body = Buffer.from(BSON.serialize(answer, { ignoreUndefined: true }));
  const prefix = request.isLegacy ? Buffer.alloc(20) : Buffer.alloc(5);
  if (request.isLegacy) {
    prefix.writeInt32LE(8, 0);
    prefix.writeInt32LE(1, 16);
  }
  const header = Buffer.alloc(headerSize);
  header.writeInt32LE(headerSize + prefix.length + body.length, 0);
  header.writeInt32LE(request.id, 4);
  header.writeInt32LE(request.id, 8);
  header.writeInt32LE(request.isLegacy ? opReply : opMsg, 12);
  return Buffer.concat([header, prefix, body]);
}
