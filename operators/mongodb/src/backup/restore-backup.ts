// Writes a backup into a replica set. The file is read twice: first as a whole, so that a damaged one changes nothing; then collection by
// collection. Every command is harmless twice, so that it is repeated when the primary changes.
import { BSON } from "mongodb";
import { majority } from "../client/commands.js";
import { type Document, errorCodes, MongoFailure, type MongoMember } from "../client/mongo-member.js";
import { compareVersions, seriesOf } from "../release/series.js";
import { isMarkedDocument, isOperator } from "../replica-set/accounts.js";
import { type ArchivedCollection, type ArchiveHeader, readArchive } from "./archive.js";
import { storedDocument } from "./stored-document.js";
import { accountCollections } from "./take-backup.js";

export interface RestoreOptions {
  /** For error messages. */
  readonly name: string;
  /** Collections that are there already are dropped first. */
  readonly replace: boolean;
}

export interface RestoreSummary {
  readonly databases: number;
  readonly collections: number;
  readonly documents: number;
  readonly users: number;
  readonly roles: number;
}

/** Bounds of one insert, in documents and bytes; MongoDB takes 100,000 and 48 MB. */
const batch = { documents: 1_000, bytes: 8_000_000 } as const;

/** Collections of admin from which users and roles are taken over, as mongorestore does it. */
const temporary = { users: "kubewright_restored_users", roles: "kubewright_restored_roles" } as const;

interface Contents {
  readonly header: ArchiveHeader;
  readonly collections: readonly ArchivedCollection[];
}

export async function restoreBackup(
  primary: MongoMember,
  file: string,
  { name, replace }: RestoreOptions,
): Promise<RestoreSummary> {
  const contents = await inspect(file, name);
  await checkVersion(primary, contents.header, name);
  const present = await collectionsThere(primary, contents);
  if (present.length > 0 && !replace) throw new Error(refusal(present));
  for (const { db, collection } of present)
    if (contents.collections.some((each) => each.db === db && each.name === collection))
      await drop(primary, db, collection);
  try {
    return await writeAll(primary, file, name);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}; ${partlyRestored}`, { cause: error });
  }
}

/** What to do about a restore that ended in the middle. */
export const partlyRestored = "what was written stays: repeat the restore with spec.replace";

/** Reads the whole file, so that a damaged one is refused before anything is changed. */
async function inspect(file: string, name: string): Promise<Contents> {
  let header: ArchiveHeader | undefined;
  const collections: ArchivedCollection[] = [];
  for await (const record of readArchive(file, name)) {
    if (record.kind === "header") header = record.header;
    if (record.kind === "collection" && !isAccounts(record.collection)) collections.push(record.collection);
  }
  if (!header) throw new Error(`${name} has no header`);
  return { header, collections };
}

async function checkVersion(primary: MongoMember, { mongodbVersion }: ArchiveHeader, name: string) {
  const { version } = await primary.command("admin", { buildInfo: 1 });
  if (compareVersions(seriesOf(String(version)), seriesOf(mongodbVersion)) < 0)
    throw new Error(
      `${name} is of MongoDB ${mongodbVersion}, and members run ${version}: restore it into ${seriesOf(mongodbVersion)} or later`,
    );
}

const isAccounts = ({ db, name }: ArchivedCollection): boolean =>
  db === "admin" && accountCollections.some((each) => each === name);

interface There {
  readonly db: string;
  readonly collection: string;
}

/** Collections in the databases of the backup. Those of admin count only where the backup has them itself: members keep their own there. */
async function collectionsThere(primary: MongoMember, { collections }: Contents): Promise<readonly There[]> {
  const there: There[] = [];
  for (const db of new Set(collections.map((each) => each.db))) {
    const own = collections.filter((each) => each.db === db).map(({ name }) => name);
    for (const { name } of await listCollections(primary, db))
      if (db === "admin" ? own.includes(name) : !name.startsWith("system."))
        there.push({ db, collection: name });
  }
  return there;
}

/** Names come in one batch: MongoDB has none of its lists of collections longer than the answer it fits into. */
async function listCollections(primary: MongoMember, db: string): Promise<readonly { name: string }[]> {
  const { cursor } = await primary.command(db, {
    listCollections: 1,
    nameOnly: true,
    cursor: { batchSize: 1_000_000 },
  });
  return (cursor as { firstBatch: readonly { name: string }[] }).firstBatch;
}

function refusal(present: readonly There[]): string {
  const databases = [...new Set(present.map(({ db }) => db))];
  const named = databases.slice(0, 5).join(", ");
  return `${databases.length === 1 ? "the database" : "the databases"} ${named}${databases.length > 5 ? " and others" : ""} of the backup ${databases.length === 1 ? "is" : "are"} not empty: drop ${databases.length === 1 ? "it" : "them"}, or set spec.replace, which replaces the collections that the backup has`;
}

async function drop(primary: MongoMember, db: string, collection: string): Promise<void> {
  await unless(
    errorCodes.namespaceNotFound,
    primary.command(db, { drop: collection, writeConcern: majority }),
  );
}

/** Resolves where the command fails with this code: what it asks for is so already. */
async function unless(code: number, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof MongoFailure) || error.code !== code) throw error;
  }
}

async function writeAll(primary: MongoMember, file: string, name: string): Promise<RestoreSummary> {
  const accounts = { users: [] as Document[], roles: [] as Document[] };
  const databases = new Set<string>();
  let [collections, documents] = [0, 0];
  let current: RecordSink | undefined;
  for await (const record of readArchive(file, name)) {
    if (record.kind === "collection") {
      const { collection } = record;
      const isOfAccounts = isAccounts(collection);
      current = isOfAccounts
        ? collected(collection.name === "system.users" ? accounts.users : accounts.roles)
        : await CollectionWriter.begin(primary, collection);
      if (isOfAccounts) continue;
      databases.add(collection.db);
      collections += 1;
    } else if (record.kind === "document") await current?.add(record.bytes);
    else if (record.kind === "count") documents += (await current?.end(record.documents)) ?? 0;
  }
  const restored = await restoreAccounts(primary, accounts.users, accounts.roles);
  return { databases: databases.size, collections, documents, ...restored };
}

/** Takes the documents of one collection; returns how many of them were written. */
interface RecordSink {
  add(bytes: Uint8Array): Promise<void>;
  end(documents: number): Promise<number>;
}

/** Users and roles are few, and are written when all of them are known. */
const collected = (into: Document[]): RecordSink => ({
  add: async (bytes) => void into.push(BSON.deserialize(bytes)),
  end: async () => 0,
});

/** One collection: made with its options, filled in batches, indexed, counted. */
class CollectionWriter implements RecordSink {
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
    await unless(
      errorCodes.namespaceExists,
      primary.command(db, { create: name, ...valid, writeConcern: majority }),
    );
    return new CollectionWriter(primary, collection);
  }

  async add(bytes: Uint8Array): Promise<void> {
    // The bytes are a part of a larger buffer, which would stay as long as they do.
    this.#batch.push(Uint8Array.from(bytes));
    this.#bytes += bytes.length;
    if (this.#batch.length >= batch.documents || this.#bytes >= batch.bytes) await this.#flush();
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

function named<T>(namespace: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${namespace}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Users and roles that are not there yet come back, with their passwords. Those that are there stay as they are: they are the spec's, or
 * somebody's who made them since. One that the operator had made comes back as one made by hand, so that it is not dropped where the spec
 * does not name it.
 */
async function restoreAccounts(
  primary: MongoMember,
  users: readonly Document[],
  roles: readonly Document[],
): Promise<{ readonly users: number; readonly roles: number }> {
  const there = async (collection: string) => new Set((await idsOf(primary, collection)).map(String));
  const [knownUsers, knownRoles] = [await there("system.users"), await there("system.roles")];
  const newUsers = users.filter(
    (user) => !knownUsers.has(String(user["_id"])) && !isOperator(user as { user: string; db: string }),
  );
  const newRoles = roles.filter((role) => !knownRoles.has(String(role["_id"])));
  if (newUsers.length === 0 && newRoles.length === 0) return { users: 0, roles: 0 };
  await fill(primary, temporary.roles, newRoles);
  await fill(
    primary,
    temporary.users,
    newUsers.map(({ customData, ...user }) =>
      isMarkedDocument(customData) || customData === undefined ? user : { ...user, customData },
    ),
  );
  await primary.command("admin", {
    _mergeAuthzCollections: 1,
    tempUsersCollection: `admin.${temporary.users}`,
    tempRolesCollection: `admin.${temporary.roles}`,
    db: "",
    drop: false,
    writeConcern: majority,
  });
  await drop(primary, "admin", temporary.users);
  await drop(primary, "admin", temporary.roles);
  return { users: newUsers.length, roles: newRoles.length };
}

async function idsOf(primary: MongoMember, collection: string): Promise<readonly unknown[]> {
  const { cursor } = await primary.command("admin", {
    find: collection,
    projection: { _id: 1 },
    batchSize: 1_000_000,
    singleBatch: true,
  });
  return (cursor as { firstBatch: readonly Document[] }).firstBatch.map(({ _id }) => _id);
}

async function fill(primary: MongoMember, collection: string, documents: readonly Document[]): Promise<void> {
  await drop(primary, "admin", collection);
  await unless(
    errorCodes.namespaceExists,
    primary.command("admin", { create: collection, writeConcern: majority }),
  );
  for (let at = 0; at < documents.length; at += batch.documents)
    await primary.command("admin", {
      insert: collection,
      documents: documents.slice(at, at + batch.documents),
      ordered: false,
      writeConcern: majority,
    });
}
