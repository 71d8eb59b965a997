// The file of a backup: records of BSON behind one another, compressed with gzip. The last record has the checksum of all before it, so
// that a file that was cut short or damaged is found out before anything is written anywhere.
//
// A record is one byte for its kind and one BSON document: a header; then for each collection its description, its documents as they are
// stored, and their count; then the end.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip, type Gzip } from "node:zlib";
import { BSON } from "mongodb";
import type { Document } from "../client/mongo-member.js";
import { storedFields } from "./stored-document.js";

export const archiveFormat = "kubewright.dev/mongodb-backup";
const formatVersion = 1;
/** MongoDB's own limit is 16 MiB for a document; descriptions of its own may be a little larger. */
const largestRecord = 17 * 1024 * 1024;

const kinds = { header: 0x48, collection: 0x43, document: 0x44, count: 0x4e, end: 0x45 } as const;
const names: ReadonlyMap<number, keyof typeof kinds> = new Map(
  Object.entries(kinds).map(([name, byte]) => [byte, name as keyof typeof kinds]),
);

/** How documents of different collections relate: all as of one time, or each as a majority had it at some time during the backup. */
export type Consistency = "Snapshot" | "Majority";

export interface ArchiveHeader {
  readonly replicaSet: string;
  readonly mongodbVersion: string;
  readonly consistency: Consistency;
  /** Every write that a majority had acknowledged by then is in it, in seconds since 1970. */
  readonly clusterTime: number;
  readonly member: string;
}

export interface ArchivedCollection {
  readonly db: string;
  readonly name: string;
  /** As listCollections has it: collection, view or timeseries. */
  readonly type: string;
  readonly options: Document;
  readonly indexes: readonly Document[];
}

export type ArchiveRecord =
  | { readonly kind: "header"; readonly header: ArchiveHeader }
  | { readonly kind: "collection"; readonly collection: ArchivedCollection }
  /** A document of the collection described last. */
  | { readonly kind: "document"; readonly bytes: Uint8Array }
  | { readonly kind: "count"; readonly documents: number };

/** A file that is no whole backup. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

export class ArchiveWriter {
  readonly #gzip: Gzip = createGzip({ level: 5 });
  readonly #hash = createHash("sha256");
  readonly #written: Promise<void>;
  #failure: unknown;

  constructor(file: string) {
    this.#written = pipeline(this.#gzip, createWriteStream(file, { flush: true }));
    this.#written.catch((error: unknown) => {
      this.#failure = error;
    });
  }

  async write(record: ArchiveRecord): Promise<void> {
    if (record.kind === "document") return this.#record(kinds.document, record.bytes);
    const { kind, ...content } = record;
    const extra = kind === "header" ? { format: archiveFormat, formatVersion } : {};
    return this.#record(kinds[kind], BSON.serialize({ ...extra, ...content }));
  }

  /** Ends the file; it is no backup before. */
  async end(): Promise<void> {
    const sha256 = this.#hash.copy().digest("hex");
    await this.#record(kinds.end, BSON.serialize({ sha256 }));
    this.#gzip.end();
    await this.#written;
  }

  /** Gives the file up. */
  async abort(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => undefined);
  }

  async #record(kind: number, bytes: Uint8Array): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const head = Buffer.of(kind);
    if (kind !== kinds.end) this.#hash.update(head).update(bytes);
    this.#gzip.write(head);
    if (!this.#gzip.write(bytes))
      await Promise.race([new Promise((resolve) => this.#gzip.once("drain", resolve)), this.#written]);
  }
}

/** The records of a file. Throws where it is damaged or not whole, at the latest after the last record. */
export async function* readArchive(file: string, name: string): AsyncGenerator<ArchiveRecord> {
  const hash = createHash("sha256");
  let isEnded = false;
  let isFirst = true;
  for await (const { kind, bytes } of rawRecords(file, name)) {
    if (isEnded) throw new ArchiveError(`${name} is damaged: something follows its end`);
    if (isFirst && kind !== "header") throw new ArchiveError(`${name} is no backup of MongoDB`);
    isFirst = false;
    if (kind === "end") {
      if (BSON.deserialize(bytes)["sha256"] !== hash.digest("hex"))
        throw new ArchiveError(`${name} is damaged: it does not match the checksum at its end`);
      isEnded = true;
      continue;
    }
    hash.update(Buffer.of(kinds[kind])).update(bytes);
    yield kind === "document" ? { kind, bytes } : parsed(kind, bytes, name);
  }
  if (!isEnded) throw new ArchiveError(`${name} is cut short: its end is missing`);
}

function parsed(kind: "header" | "collection" | "count", bytes: Uint8Array, name: string): ArchiveRecord {
  const content = kind === "collection" ? storedFields(bytes) : BSON.deserialize(bytes);
  if (
    kind === "header" &&
    (content["format"] !== archiveFormat || content["formatVersion"] !== formatVersion)
  )
    throw new ArchiveError(`${name} is no backup of MongoDB that this version of the operator knows`);
  return { kind, ...content } as ArchiveRecord;
}

interface RawRecord {
  readonly kind: keyof typeof kinds;
  readonly bytes: Uint8Array;
}

/** A record's kind and the length of its document. */
const headLength = 5;

async function* rawRecords(file: string, name: string): AsyncGenerator<RawRecord> {
  let parts: Buffer[] = [];
  let size = 0;
  let needed = headLength;
  for await (const chunk of unzipped(file, name)) {
    parts.push(chunk);
    size += chunk.length;
    // A large record is put together once, when all of it is there.
    if (size < needed) continue;
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts);
    let at = 0;
    for (needed = sizeAt(bytes, at, name); size - at >= needed; needed = sizeAt(bytes, at, name)) {
      yield { kind: names.get(bytes[at] ?? 0) ?? "end", bytes: bytes.subarray(at + 1, at + needed) };
      at += needed;
    }
    parts = [bytes.subarray(at)];
    size -= at;
  }
  if (size > 0) throw new ArchiveError(`${name} is cut short in the middle of a record`);
}

/** How many bytes the record takes that begins there, as far as its head is there. */
function sizeAt(bytes: Buffer, at: number, name: string): number {
  if (bytes.length - at < headLength) return headLength;
  const length = bytes.readInt32LE(at + 1);
  if (!names.has(bytes[at] ?? 0) || length < headLength || length > largestRecord)
    throw new ArchiveError(`${name} is damaged: it has a record that none can be`);
  return 1 + length;
}

async function* unzipped(file: string, name: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  const source = createReadStream(file);
  source.once("error", (error) => gunzip.destroy(error));
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "Z_BUF_ERROR") throw new ArchiveError(`${name} is cut short: ${message}`, { cause: error });
    if (code?.startsWith("Z_")) throw new ArchiveError(`${name} is damaged: ${message}`, { cause: error });
    throw error;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}
