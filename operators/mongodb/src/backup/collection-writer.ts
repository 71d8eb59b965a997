// Writes one collection of a backup.
import { majority } from "../client/commands.js";
import { errorCodes, type MongoMember } from "../client/mongo-member.js";
import type { ArchivedCollection } from "./archive.js";
import { createCollection } from "./repeatable-commands.js";
import { storedDocument } from "./stored-document.js";

/** Bounds of one insert, in documents and bytes; MongoDB takes 100,000 and 48 MB. */
export const largestBatch = { documents: 1_000, bytes: 8_000_000 } as const;

/** Takes the documents of one collection; returns how many of them were written. */
export interface DocumentSink {
  add(bytes: Uint8Array): Promise<void>;
  end(documents: number): Promise<number>;
}

/** One collection: made with its options, filled in batches, indexed, counted. */
export class CollectionWriter implements DocumentSink {
  readonly #primary: MongoMember;
  readonly #collection: ArchivedCollection;
  #batch: Uint8Array[] = [];
  #bytes = 0;

  private constructor(primary: MongoMember, collection: ArchivedCollection) {
    this.#primary = primary;
    this.#collection = collection;
  }

  static async begin(primary: MongoMember, collection: ArchivedCollection): Promise<CollectionWriter> {
    const { db, name, options } = collection;
    // An option that MongoDB has given up, and that old collections still have.
    const { autoIndexId: _, ...valid } = options;
    await createCollection(primary, db, name, valid);
    return new CollectionWriter(primary, collection);
  }

  async add(bytes: Uint8Array): Promise<void> {
    // The bytes are a part of a larger buffer, which would stay as long as they do.
    this.#batch.push(Uint8Array.from(bytes));
    this.#bytes += bytes.length;
    if (this.#batch.length >= largestBatch.documents || this.#bytes >= largestBatch.bytes)
      await this.#flush();
  }

  async end(documents: number): Promise<number> {
    await this.#flush();
    const { db, name, type, indexes } = this.#collection;
    if (indexes.length > 0)
      await this.#primary.command(db, { createIndexes: name, indexes, writeConcern: majority });
    if (type === "view" || this.#collection.options["capped"] === true) return documents;
    const { n } = await this.#primary.command(db, { count: name });
    if (Number(n) !== documents)
      throw new Error(
        `${db}.${name} has ${n} documents after the restore, and ${documents} in the backup: somebody else writes to it`,
      );
    return documents;
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const { db, name } = this.#collection;
    const answer = await this.#primary.command(db, {
      insert: name,
      documents: this.#batch.map((bytes) => named(`${db}.${name}`, () => storedDocument(bytes))),
      ordered: false,
      // Documents that were there before their collection got its rules.
      bypassDocumentValidation: true,
      writeConcern: majority,
    });
    this.#batch = [];
    this.#bytes = 0;
    const errors = (answer["writeErrors"] ?? []) as readonly { code: number; errmsg: string }[];
    // A batch that was sent twice finds its documents there.
    const refused = errors.find(
      ({ code, errmsg }) => code !== errorCodes.duplicateKey || !/ _id_\b/.test(errmsg),
    );
    if (refused) throw new Error(`${db}.${name}: ${refused.errmsg}`);
  }
}

/** Adds the name of the collection to an error. */
function named<T>(namespace: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${namespace}: ${(error as Error).message}`, { cause: error });
  }
}
