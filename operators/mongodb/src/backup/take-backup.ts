// Takes a backup through the driver: reads every collection with its options and indexes, users and roles included, into one file. Nothing
// is held in memory but a batch of documents.
//
// Consistency. From MongoDB 5.0 on all reads are of one time ("snapshot" read concern at a cluster time); capped and time
// series collections, which not every version reads so, are read as a majority has them. Before 5.0 there are no such reads outside transactions, which end after a minute:
// every document is as a majority had it at some time during the backup, and documents may be of different times. In both cases every
// write that a majority had acknowledged before the backup began is in it.
import type { BSON } from "mongodb";
import { type Document, errorCodes, MongoFailure, type MongoMember } from "../client/mongo-member.js";
import { compareVersions } from "../release/series.js";
import { exporterUser, operatorUser } from "../replica-set/names.js";
import { type ArchivedCollection, ArchiveWriter, type Consistency } from "./archive.js";
import { noPrimary, type ReachedMember, rolesOf } from "./replica-set.js";
import { storedFields } from "./stored-document.js";

export interface BackupSummary {
  readonly member: string;
  readonly mongodbVersion: string;
  readonly consistency: Consistency;
  /** In seconds since 1970. */
  readonly clusterTime: number;
  readonly databases: number;
  readonly collections: number;
  readonly documents: number;
}

/** How often a backup is begun again because a collection was dropped, or a member went away. */
const attempts = 3;
const batchSize = 1_000;
/** Of the member itself, or of a cluster with shards. */
const skippedDatabases = new Set(["local", "config"]);
export const accountCollections = ["system.roles", "system.users"] as const;

/** The operator's own users are no part of a backup: every replica set has its own, and a reader of the file must not get theirs. */
const othersUsers = {
  _id: { $nin: [operatorUser, exporterUser].map((user) => `admin.${user}`) },
  "customData.isOperator": { $ne: true },
  "customData.isAgent": { $ne: true },
};

/** Something happened meanwhile that another try may be spared. */
class Disturbed extends Error {}

export async function takeBackup(
  members: readonly ReachedMember[],
  replicaSet: string,
  file: string,
): Promise<BackupSummary> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryBackup(members, replicaSet, file, attempt);
    } catch (error) {
      if (attempt >= attempts || !isWorthAnother(error)) throw explained(error);
    }
  }
}

const isWorthAnother = (error: unknown): boolean =>
  error instanceof Disturbed ||
  (error instanceof MongoFailure &&
    (error.kind !== "refused" || error.code === errorCodes.snapshotUnavailable) &&
    error.kind !== "login");

function explained(error: unknown): unknown {
  if (!(error instanceof MongoFailure) || error.code !== errorCodes.snapshotTooOld) return error;
  return new Error(
    `${error.message} (reading took longer than members keep a snapshot: raise setParameter.minSnapshotHistoryWindowInSeconds in additionalMongodConfig)`,
    { cause: error },
  );
}

async function tryBackup(
  members: readonly ReachedMember[],
  replicaSet: string,
  file: string,
  attempt: number,
): Promise<BackupSummary> {
  const roles = await rolesOf(members);
  const { primary, secondaries } = roles;
  if (!primary) throw noPrimary(members, roles);
  // Secondaries spare the primary; each try takes another.
  const choices = [...secondaries, primary];
  const source = choices[(attempt - 1) % choices.length] ?? primary;
  const time = await majorityTime(primary.member);
  const { version } = await source.member.command("admin", { buildInfo: 1 });
  const mongodbVersion = String(version);
  const consistency: Consistency = compareVersions(mongodbVersion, "5.0.0") >= 0 ? "Snapshot" : "Majority";
  const header = {
    replicaSet,
    mongodbVersion,
    consistency,
    clusterTime: time.getHighBits(),
    member: source.host,
  };
  const writer = new ArchiveWriter(file);
  try {
    await writer.write({ kind: "header", header });
    const counts = await writeAll(writer, source, { time, consistency });
    await writer.end();
    return { ...header, ...counts };
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** The time up to which a majority has all writes. */
async function majorityTime(primary: MongoMember): Promise<BSON.Timestamp> {
  const answer = await primary.command("admin", { isMaster: 1 });
  const { majorityOpTime } = (answer["lastWrite"] ?? {}) as { majorityOpTime?: { ts?: BSON.Timestamp } };
  if (!majorityOpTime?.ts) throw new Error("the primary reports no time of its last write");
  return majorityOpTime.ts;
}

interface Reading {
  readonly time: BSON.Timestamp;
  readonly consistency: Consistency;
}

interface Listed extends ArchivedCollection {
  readonly uuid: string;
}

async function writeAll(writer: ArchiveWriter, { member }: ReachedMember, reading: Reading) {
  const before = await catalog(member);
  let documents = 0;
  for (const { uuid: _, ...collection } of before) {
    await writer.write({ kind: "collection", collection });
    let count = 0;
    if (collection.type !== "view")
      for await (const bytes of member.documents(collection.db, findAll(collection, reading))) {
        await writer.write({ kind: "document", bytes });
        count += 1;
      }
    await writer.write({ kind: "count", documents: count });
    documents += count;
  }
  const after = new Set((await catalog(member)).map(({ uuid }) => uuid));
  const gone = before.find(({ uuid }) => !after.has(uuid));
  if (gone) throw new Disturbed(`the collection ${gone.db}.${gone.name} was dropped or renamed meanwhile`);
  return {
    databases: new Set(before.filter(({ name }) => !isAccounts(name)).map(({ db }) => db)).size,
    collections: before.filter(({ name }) => !isAccounts(name)).length,
    documents,
  };
}

const isAccounts = (name: string): boolean => accountCollections.some((each) => each === name);

function findAll({ name, type, options }: ArchivedCollection, { time, consistency }: Reading): Document {
  const isAsOfTime = consistency === "Snapshot" && options["capped"] !== true && type === "collection";
  return {
    find: name,
    ...(name === "system.users" ? { filter: othersUsers } : {}),
    batchSize,
    readConcern: isAsOfTime
      ? { level: "snapshot", atClusterTime: time }
      : { level: "majority", afterClusterTime: time },
    noCursorTimeout: true,
    $readPreference: secondaryToo,
  };
}

const secondaryToo = { mode: "secondaryPreferred" } as const;

/** Every collection that is backed up; views come last, and users and roles are collections of admin. */
async function catalog(member: ReachedMember["member"]): Promise<readonly Listed[]> {
  const { databases } = await member.command("admin", {
    listDatabases: 1,
    nameOnly: true,
    $readPreference: secondaryToo,
  });
  const found: Listed[] = [];
  for (const { name: db } of databases as readonly { readonly name: string }[]) {
    if (skippedDatabases.has(db)) continue;
    for await (const bytes of member.documents(db, { listCollections: 1, $readPreference: secondaryToo })) {
      const listed = await describe(member, db, storedFields(bytes));
      if (listed) found.push(listed);
    }
  }
  const accounts = accountCollections.map((name) => ({
    ...{ db: "admin", name, type: "collection", options: {}, indexes: [], uuid: name },
  }));
  return [...accounts, ...found.toSorted((a, b) => Number(a.type === "view") - Number(b.type === "view"))];
}

async function describe(
  member: ReachedMember["member"],
  db: string,
  { name, type = "collection", options = {}, info = {} }: Document,
): Promise<Listed | undefined> {
  // Collections of the system hold what others are described by: views, users, the buckets of time series.
  if (typeof name !== "string" || (name.startsWith("system.") && name !== "system.js")) return undefined;
  const kind = String(type);
  const indexes = kind === "view" ? [] : await indexesOf(member, db, name);
  const uuid = (info as Document)["uuid"] ?? "";
  return { db, name, type: kind, options: options as Document, indexes, uuid: `${db}.${name} ${uuid}` };
}

/** Those that are made by themselves are left out. */
async function indexesOf(
  member: ReachedMember["member"],
  db: string,
  collection: string,
): Promise<readonly Document[]> {
  const indexes: Document[] = [];
  try {
    for await (const bytes of member.documents(db, {
      listIndexes: collection,
      $readPreference: secondaryToo,
    })) {
      const { ns: _, ...index } = storedFields(bytes);
      if (index["name"] !== "_id_" && index["clustered"] !== true) indexes.push(index);
    }
  } catch (error) {
    if (error instanceof MongoFailure && error.code === errorCodes.namespaceNotFound)
      throw new Disturbed(`the collection ${db}.${collection} was dropped meanwhile`);
    throw error;
  }
  return indexes;
}
