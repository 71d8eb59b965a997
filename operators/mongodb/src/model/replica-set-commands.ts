// The replica set commands of the model.
import { BSON } from "mongodb";
import type { Document } from "../client/mongo-member.js";
import {
  isArbiter,
  isVoting,
  type MemberConfig,
  type MemberState,
  majorityOf,
  memberStates,
  priorityOf,
  type ReplicaSetConfig,
} from "../client/replica-set-documents.js";
import { compareVersions, seriesOf } from "../release/series.js";
import type { Call, CommandHandler, Mongod } from "./command.js";
import { CommandError, notPrimary } from "./command-error.js";
import { checkChange, checkConfig } from "./config-rules.js";

const stateNumbers = new Map(Object.entries(memberStates).map(([number, name]) => [name, Number(number)]));

function configOf({ mongod }: Call): ReplicaSetConfig {
  const { config } = mongod.replication;
  if (!config) throw new CommandError(94, "NotYetInitialized", "no replset config has been received");
  return config;
}

/** Every field that has a default. */
function completed(given: Document): ReplicaSetConfig {
  const config = given as unknown as ReplicaSetConfig;
  const members = (config.members ?? []).map((member) => ({
    arbiterOnly: isArbiter(member),
    hidden: false,
    priority: priorityOf(member),
    votes: isVoting(member) ? 1 : 0,
    ...Object.fromEntries(Object.entries(member).filter(([, value]) => value !== undefined)),
  }));
  return {
    ...config,
    members: members as unknown as readonly MemberConfig[],
    settings: { electionTimeoutMillis: 10_000, heartbeatIntervalMillis: 2_000, ...config.settings },
  };
}

async function initiate(call: Call): Promise<Document> {
  const { mongod, command } = call;
  const { replication, options } = mongod;
  if (replication.config) throw new CommandError(23, "AlreadyInitialized", "already initialized");
  const given = (command["replSetInitiate"] ?? {}) as Document;
  const config = completed({
    _id: options.setName,
    ...given,
    version: given["version"] ?? 1,
    members: given["members"] ?? [{ _id: 0, host: options.host }],
  });
  checkConfig(config, options.setName);
  if (!config.members.some(({ host }) => host === options.host))
    throw new CommandError(
      74,
      "NodeNotFound",
      `No host described in new configuration maps to this node (${options.host})`,
    );
  const replies = await replication.ask(config.members.map(({ host }) => host));
  const missing = config.members.find(({ host }) => !replies.has(host));
  if (missing)
    throw new CommandError(
      74,
      "NodeNotFound",
      `replSetInitiate quorum check failed because not all proposed set members responded affirmatively: ${missing.host}`,
    );
  for (const [host, { isInitialized }] of replies)
    if (isInitialized)
      throw new CommandError(103, "NewReplicaSetConfigurationIncompatible", `${host} is initialized already`);
  // Two at once: the first one wins.
  if (replication.config) throw new CommandError(23, "AlreadyInitialized", "already initialized");
  const settings = { ...config.settings, replicaSetId: new BSON.ObjectId() };
  replication.initiate({ ...config, ...(isSafe(mongod) ? { term: 0 } : {}), settings }, [
    { kind: "compatibility", version: seriesOf(mongod.version) },
  ]);
  return {};
}

/** Changes of configuration have terms, one vote at a time, and wait for a majority, from 4.4 on. */
const isSafe = (mongod: Mongod): boolean => compareVersions(mongod.version, "4.4.0") >= 0;

async function reconfigure(call: Call): Promise<Document> {
  const { mongod, command } = call;
  const { replication, options } = mongod;
  const before = configOf(call);
  const isForced = command["force"] === true;
  const isDefaultKept = compareVersions(mongod.version, "5.0.0") >= 0 && !mongod.data.writeConcern;
  const rules = { isOneVote: isSafe(mongod), isDefaultKept };
  if (!isForced && !replication.isPrimary)
    throw notPrimary("New config is rejected: only a primary takes it without force");
  const given = completed(command["replSetReconfig"] as Document);
  const { term: _, ...rest } = given;
  const settings = { ...given.settings, replicaSetId: before.settings?.["replicaSetId"] };
  checkConfig(given, options.setName);
  if (!given.members.some(({ host }) => host === options.host))
    throw new CommandError(74, "NodeNotFound", "No host described in new configuration maps to this node");
  if (isForced) {
    const version = Math.max(given.version, before.version) + 1_000;
    replication.install({ ...rest, version, settings } as ReplicaSetConfig);
    return {};
  }
  checkChange(before, given, rules);
  if (isSafe(mongod) && !replication.isConfigCommitted())
    throw new CommandError(
      308,
      "CurrentConfigNotCommittedYet",
      "Cannot run replSetReconfig because the current config is not majority committed",
    );
  await checkQuorum(call, given);
  if (!replication.isPrimary) throw notPrimary();
  checkChange(configOf(call), given, rules);
  const next = { ...rest, ...(isSafe(mongod) ? { term: replication.term } : {}), settings };
  replication.install(next as ReplicaSetConfig);
  const limit = Number(command["maxTimeMS"] ?? 10_000);
  if (isSafe(mongod) && !(await mongod.until(() => replication.isConfigCommitted(), limit)))
    throw new CommandError(50, "MaxTimeMSExpired", "Current config could not be committed in time; it stays");
  return {};
}

async function checkQuorum(call: Call, config: ReplicaSetConfig): Promise<void> {
  const { replication } = call.mongod;
  const replies = await replication.ask(config.members.map(({ host }) => host));
  const voters = config.members.filter(isVoting);
  const there = voters.filter(({ host }) => replies.has(host)).length;
  if (there < majorityOf(voters.length))
    throw new CommandError(
      74,
      "NodeNotFound",
      `Quorum check failed because not enough voting nodes responded; required ${majorityOf(voters.length)} but only ${there} of the voting nodes responded`,
    );
}

async function stepDown({ mongod, command }: Call): Promise<Document> {
  const seconds = Number(command["replSetStepDown"]) || 60;
  const catchUp = Number(command["secondaryCatchUpPeriodSecs"] ?? 10) * 1_000;
  const isForced = command["force"] === true;
  let isDone = false;
  const step = (): boolean => {
    if (!mongod.replication.isPrimary) return true;
    isDone = mongod.replication.stepDown(seconds, { isForced: false });
    return isDone;
  };
  await mongod.until(step, catchUp);
  if (!isDone && isForced && mongod.replication.isPrimary)
    isDone = mongod.replication.stepDown(seconds, { isForced: true });
  if (!isDone && mongod.replication.isPrimary)
    throw new CommandError(
      262,
      "ExceededTimeLimit",
      "No electable secondaries caught up as of the end of the catch-up period. Please use the replSetStepDown command with the argument {force: true} to force node to step down.",
    );
  return {};
}

async function stepUp({ mongod }: Call): Promise<Document> {
  if (!(await mongod.replication.stepUp())) throw new CommandError(125, "CommandFailed", "Election failed.");
  return {};
}

/** A secondary that somebody has taken out of service is RECOVERING. */
function maintain({ mongod, command }: Call): Document {
  const { replication } = mongod;
  if (replication.isPrimary)
    throw new CommandError(95, "NotSecondary", "primaries can't modify maintenance mode");
  if (command["replSetMaintenance"] === true || command["replSetMaintenance"] === 1)
    replication.hold("RECOVERING");
  else replication.release();
  return {};
}

/** A member as another one sees it. */
interface Seen {
  readonly isUp: boolean;
  readonly state: MemberState;
  readonly index: number;
  readonly term: number;
  readonly at: number;
  readonly configVersion: number;
  readonly configTerm: number;
}

function ownView({ replication }: Mongod, config: ReplicaSetConfig): Seen {
  const { lastEntry, state } = replication;
  const [index, term, at] = [lastEntry?.index ?? 0, lastEntry?.term ?? 0, lastEntry?.at ?? 0];
  return { isUp: true, state, index, term, at, configVersion: config.version, configTerm: config.term ?? -1 };
}

const nobody: Seen = {
  isUp: false,
  state: "DOWN",
  index: 0,
  term: 0,
  at: 0,
  configVersion: -1,
  configTerm: -1,
};

function viewOf({ replication }: Mongod, host: string): Seen {
  const { reply, heardAt } = replication.peer(host);
  if (!reply || heardAt === undefined) return nobody;
  const { state, lastIndex: index, lastTerm: term, lastAt: at, configVersion = -1, configTerm = -1 } = reply;
  return { isUp: true, state, index, term, at, configVersion, configTerm };
}

function memberStatus(mongod: Mongod, config: ReplicaSetConfig, member: MemberConfig): Document {
  const isSelf = member.host === mongod.options.host;
  const seen = isSelf ? ownView(mongod, config) : viewOf(mongod, member.host);
  const optime = {
    optime: { ts: new BSON.Timestamp({ t: Math.floor(seen.at / 1_000), i: seen.index }), t: seen.term },
    optimeDate: new Date(seen.at),
  };
  return {
    _id: member._id,
    name: member.host,
    health: seen.isUp ? 1 : 0,
    state: stateNumbers.get(seen.state) ?? 6,
    stateStr: seen.isUp ? seen.state : "(not reachable/healthy)",
    uptime: 1,
    ...(isArbiter(member) ? {} : optime),
    ...(isSelf
      ? { self: true, infoMessage: mongod.replication.infoMessage ?? "" }
      : { lastHeartbeatMessage: seen.isUp ? "" : "Couldn't get a connection in time" }),
    configVersion: seen.configVersion,
    configTerm: seen.configTerm,
  };
}

function status(call: Call): Document {
  const { mongod } = call;
  const { replication, options } = mongod;
  const config = configOf(call);
  const voters = config.members.filter(isVoting);
  return {
    set: config._id,
    date: new Date(options.clock.now()),
    myState: stateNumbers.get(replication.state) ?? 6,
    term: replication.term,
    majorityVoteCount: majorityOf(voters.length),
    votingMembersCount: voters.length,
    members: config.members.map((member) => memberStatus(mongod, config, member)),
  };
}

export const replicaSetCommands: Readonly<Record<string, CommandHandler>> = {
  replSetInitiate: { sort: "initiate", run: initiate },
  replSetReconfig: { sort: "replication", run: reconfigure },
  replSetGetConfig: { sort: "status", run: (call) => ({ config: configOf(call) }) },
  replSetGetStatus: { sort: "look", run: status },
  replSetMaintenance: { sort: "replication", run: maintain },
  replSetStepUp: { sort: "replication", run: stepUp },
  replSetStepDown: { sort: "replication", onPrimary: true, run: stepDown },
};
