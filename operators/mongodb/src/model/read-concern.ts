// Reads in the model as of some time: what a majority has, or one time for all reads ("snapshot", from 5.0 on). The log keeps every
// operation, so that the data of an earlier time is made from it again.
import type { BSON } from "mongodb";
import type { Document } from "../client/mongo-member.js";
import { compareVersions } from "../release/series.js";
import type { Call, Mongod } from "./command.js";
import { CommandError } from "./command-error.js";
import { ModelData } from "./operations.js";

/** How far back a snapshot may lie, in milliseconds: minSnapshotHistoryWindowInSeconds of mongod. */
const historyWindow = 300_000;
/** How long a member waits until it has what a read asks for, in milliseconds. */
const patience = 10_000;

/** The data that a read sees. */
export async function dataFor(call: Call): Promise<ModelData> {
  const { mongod, command } = call;
  const concern = (command["readConcern"] ?? {}) as Document;
  const level = concern["level"] ?? "local";
  const after = concern["afterClusterTime"] as BSON.Timestamp | undefined;
  if (after) await reached(mongod, after);
  if (level === "local" || level === "available") return mongod.data;
  if (level === "majority" || level === "linearizable") return dataAt(mongod, mongod.replication.committed);
  if (level !== "snapshot") throw new CommandError(9, "FailedToParse", `unknown read concern ${level}`);
  return snapshot(mongod, concern["atClusterTime"] as BSON.Timestamp | undefined);
}

async function snapshot(mongod: Mongod, at: BSON.Timestamp | undefined): Promise<ModelData> {
  if (compareVersions(mongod.version, "5.0.0") < 0)
    throw new CommandError(
      72,
      "InvalidOptions",
      "readConcern level snapshot is only valid in multi-statement transactions",
    );
  if (!at) return dataAt(mongod, mongod.replication.committed);
  const age = mongod.options.clock.now() - at.getHighBits() * 1_000;
  if (age * (mongod.options.speed ?? 1) > historyWindow)
    throw new CommandError(
      239,
      "SnapshotTooOld",
      `Read timestamp ${at.toString()} is older than the oldest available timestamp.`,
    );
  await reached(mongod, at);
  return dataAt(mongod, at.getLowBits());
}

async function reached(mongod: Mongod, time: BSON.Timestamp): Promise<void> {
  const isThere = () => mongod.replication.committed >= time.getLowBits();
  if (!isThere() && !(await mongod.until(isThere, patience)))
    throw new CommandError(50, "MaxTimeMSExpired", "operation exceeded time limit");
}

/** Data that was asked for last, of each member: a client reads one time again and again. */
const kept = new WeakMap<Mongod, { readonly index: number; readonly data: ModelData }>();

function dataAt(mongod: Mongod, index: number): ModelData {
  const { log } = mongod.options.disk;
  if (index >= (log.at(-1)?.index ?? 0)) return mongod.data;
  const known = kept.get(mongod);
  if (known?.index === index) return known.data;
  const data = new ModelData();
  for (const entry of log) if (entry.index <= index) data.apply(entry.operation);
  kept.set(mongod, { index, data });
  return data;
}
