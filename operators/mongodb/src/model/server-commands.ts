// What every connection may ask of the model: who it is, what it runs, and how it is set.

import { isObject } from "@kubewright/api";
import type { Document } from "../client/mongo-member.js";
import { isArbiter, type MemberConfig, priorityOf } from "../client/replica-set-documents.js";
import { mechanisms } from "../client/scram.js";
import { seriesBefore, seriesOf, wireVersionOf } from "../release/series.js";
import type { Call, CommandHandler } from "./command.js";
import { badValue, CommandError } from "./command-error.js";
import { implicitWriteConcern } from "./config-rules.js";
import { timestampOf, userKey } from "./operations.js";

/** What members of the model call themselves when they connect to each other. */
export const peerName = "model-of-mongod";

const megabyte = 1024 * 1024;

/** The replica set as this member knows it. */
function setOf({ mongod, command }: Call): Document {
  const { config, own, primary } = mongod.replication;
  if (!config || !own)
    return {
      isreplicaset: true,
      info: config ? "member was removed" : "Does not have a valid replica set config",
    };
  const hosts = (isSort: (member: MemberConfig) => boolean) =>
    config.members.filter(isSort).map(({ host }) => host);
  const arbiters = hosts(isArbiter);
  const passives = hosts((member) => !isArbiter(member) && priorityOf(member) === 0);
  return {
    setName: config._id,
    setVersion: config.version,
    hosts: hosts((member) => !isArbiter(member) && priorityOf(member) > 0),
    ...(passives.length > 0 ? { passives } : {}),
    ...(arbiters.length > 0 ? { arbiters } : {}),
    ...(primary ? { primary } : {}),
    ...(isArbiter(own) && !isPeer(command) ? { arbiterOnly: true } : {}),
    ...(!isArbiter(own) && priorityOf(own) === 0 ? { passive: true } : {}),
    me: mongod.options.host,
  };
}

function hello(call: Call): Document {
  const { mongod, command, name } = call;
  const { isPrimary, state } = mongod.replication;
  return {
    ...(command["helloOk"] === true ? { helloOk: true } : {}),
    [name.toLowerCase() === "hello" ? "isWritablePrimary" : "ismaster"]: isPrimary,
    secondary: state === "SECONDARY",
    ...setOf(call),
    ...supportedMechanisms(mongod, command),
    ...lastWrite(mongod),
    maxBsonObjectSize: 16 * megabyte,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(mongod.options.clock.now()),
    connectionId: 1,
    minWireVersion: 0,
    maxWireVersion: wireVersionOf(mongod.version),
    logicalSessionTimeoutMinutes: 30,
    readOnly: false,
  };
}

/** The last operation this member has, and the last one that a majority has. */
function lastWrite({ replication, options }: Call["mongod"]): Document {
  const last = replication.lastEntry;
  const committed = options.disk.log.findLast(({ index }) => index <= replication.committed);
  if (!last || !committed || !replication.own) return {};
  return {
    lastWrite: {
      opTime: { ts: timestampOf(last), t: last.term },
      lastWriteDate: new Date(last.at),
      majorityOpTime: { ts: timestampOf(committed), t: committed.term },
      majorityWriteDate: new Date(committed.at),
    },
  };
}

/** The driver logs in to no arbiter, and members of the model talk to each other with the driver. */
function isPeer(command: Document): boolean {
  const client = command["client"];
  const application = isObject(client) ? client["application"] : undefined;
  return isObject(application) && application["name"] === peerName;
}

function supportedMechanisms(mongod: Call["mongod"], command: Document): Document {
  const asked = command["saslSupportedMechs"];
  if (typeof asked !== "string") return {};
  if (asked === "local.__system") return { saslSupportedMechs: mechanisms };
  const at = asked.indexOf(".");
  const stored = mongod.data.users.get(userKey(asked.slice(0, at), asked.slice(at + 1)));
  return stored ? { saslSupportedMechs: Object.keys(stored.credentials) } : {};
}

/** As far as exporters read it; a model has no memory of its own to speak of. */
function serverStatus({ mongod }: Call): Document {
  const { opcounters, options, startedAt } = mongod;
  const uptime = Math.floor((options.clock.monotonic() - startedAt) / 1_000);
  return {
    host: options.host,
    version: mongod.version,
    process: "mongod",
    uptime,
    localTime: new Date(options.clock.now()),
    connections: { current: 1, available: 838_859, totalCreated: 1 },
    opcounters: { ...opcounters },
    mem: { bits: 64, resident: 1, virtual: 1, supported: true },
    network: { bytesIn: 0, bytesOut: 0, numRequests: opcounters.command },
    asserts: { regular: 0, warning: 0, msg: 0, user: 0, tripwire: 0, rollovers: 0 },
  };
}

const getParameter: CommandHandler = {
  sort: "status",
  run({ mongod, command }) {
    if (command["featureCompatibilityVersion"] !== undefined)
      return {
        featureCompatibilityVersion: { version: mongod.data.compatibility || seriesOf(mongod.version) },
      };
    throw new CommandError(72, "InvalidOptions", "no option found to get");
  },
};

const setFeatureCompatibilityVersion: CommandHandler = {
  sort: "compatibility",
  onPrimary: true,
  async run({ mongod, command }) {
    const version = String(command["setFeatureCompatibilityVersion"]);
    const own = seriesOf(mongod.version);
    const before = seriesBefore(own);
    if (version !== own && version !== before)
      throw badValue(
        `Invalid feature compatibility version value '${version}'; expected '${before}' or '${own}'`,
      );
    if (Number(own.split(".")[0]) >= 7 && command["confirm"] !== true)
      throw new CommandError(
        7369100,
        "Location7369100",
        "Once you have changed the feature compatibility version you may not be able to go back. Set confirm: true to go on",
      );
    return mongod.write(
      { kind: "compatibility", version },
      { writeConcern: { w: "majority", wtimeout: 60_000 } },
    );
  },
};

const getDefaultRWConcern: CommandHandler = {
  sort: "status",
  since: "4.4.0",
  run({ mongod }) {
    const { config } = mongod.replication;
    const { writeConcern } = mongod.data;
    const implicit = config ? { w: implicitWriteConcern(config), wtimeout: 0 } : undefined;
    return {
      defaultWriteConcern: writeConcern ?? implicit,
      defaultWriteConcernSource: writeConcern ? "global" : "implicit",
    };
  },
};

const setDefaultRWConcern: CommandHandler = {
  sort: "compatibility",
  onPrimary: true,
  since: "4.4.0",
  run({ mongod, command }) {
    const concern = command["defaultWriteConcern"];
    if (!isObject(concern)) throw badValue("a default write concern must be given");
    return mongod.write({ kind: "write-concern", concern }, command);
  },
};

export const serverCommands: Readonly<Record<string, CommandHandler>> = {
  // Versions before 4.2.10 know only the older name.
  hello: { sort: "open", since: "4.2.10", run: hello },
  isMaster: { sort: "open", run: hello },
  ping: { sort: "open", run: () => ({}) },
  buildInfo: {
    sort: "open",
    run: ({ mongod }) => ({ version: mongod.version, gitVersion: "a model of mongod", modules: ["model"] }),
  },
  endSessions: { sort: "open", run: () => ({}) },
  serverStatus: { sort: "status", run: serverStatus },
  getDefaultRWConcern,
  setDefaultRWConcern,
  getParameter,
  setFeatureCompatibilityVersion,
  rotateCertificates: {
    sort: "status",
    since: "5.0.0",
    run({ mongod }) {
      mongod.rotate();
      return {};
    },
  },
  replicate: {
    sort: "internal",
    run: ({ mongod, command }) => ({ reply: mongod.receive(command["replicate"] as never) }),
  },
};
