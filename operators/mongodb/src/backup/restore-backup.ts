// Writes a backup into a replica set. The file is read twice: first as a whole, so that a damaged one changes nothing; then collection by
// collection.
import { BSON } from "mongodb";
import type { Document, MongoMember } from "../client/mongo-member.js";
import { compareVersions, seriesOf } from "../release/series.js";
import { type ArchivedCollection, type ArchiveHeader, readArchive } from "./archive.js";
import { CollectionWriter, type DocumentSink } from "./collection-writer.js";
import { dropCollection } from "./repeatable-commands.js";
import { restoreAccounts } from "./restore-accounts.js";
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
      await dropCollection(primary, db, collection);
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
  const names = `${databases.slice(0, 5).join(", ")}${databases.length > 5 ? " and others" : ""}`;
  const [what, are, them] =
    databases.length === 1 ? ["the database", "is", "it"] : ["the databases", "are", "them"];
  return `${what} ${names} of the backup ${are} not empty: drop ${them}, or set spec.replace, which replaces the collections that the backup has`;
}

async function writeAll(primary: MongoMember, file: string, name: string): Promise<RestoreSummary> {
  const accounts = { users: [] as Document[], roles: [] as Document[] };
  const databases = new Set<string>();
  let [collections, documents] = [0, 0];
  let current: DocumentSink | undefined;
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

/** Users and roles are few, and are written when all of them are known. */
const collected = (into: Document[]): DocumentSink => ({
  add: async (bytes) => void into.push(BSON.deserialize(bytes)),
  end: async () => 0,
});
