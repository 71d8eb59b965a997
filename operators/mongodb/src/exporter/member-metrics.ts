// The metrics of a replica set, from serverStatus and replSetGetStatus of each member, under the names that exporters for MongoDB have
// given them for long.
import { isObject } from "@kubewright/api";
import { collected, MetricsRegistry } from "@kubewright/runtime";
import type { Document } from "../client/mongo-member.js";

/** What one member answered; undefined answers of one that is away. */
export interface MemberAnswers {
  readonly member: string;
  readonly server: Document | undefined;
  readonly set: Document | undefined;
}

/** A metric of each member, with a label for parts of one field. */
interface ServerMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  /** Where serverStatus has it. */
  readonly field: string;
  /** The label of its parts, and what each part is called there. */
  readonly label?: string;
  readonly parts?: Readonly<Record<string, string>>;
}

const operations = ["insert", "query", "update", "delete", "getmore", "command"];

const serverMetrics: readonly ServerMetric[] = [
  {
    name: "mongodb_instance_uptime_seconds",
    help: "Since the process started",
    type: "gauge",
    field: "uptime",
  },
  {
    name: "mongodb_connections",
    help: "Connections of clients",
    type: "gauge",
    field: "connections",
    label: "state",
    parts: { current: "current", available: "available" },
  },
  {
    name: "mongodb_op_counters_total",
    help: "Operations since the process started",
    type: "counter",
    field: "opcounters",
    label: "type",
    parts: Object.fromEntries(operations.map((name) => [name, name])),
  },
  {
    name: "mongodb_memory",
    help: "Memory of the process, in MiB",
    type: "gauge",
    field: "mem",
    label: "type",
    parts: { resident: "resident", virtual: "virtual" },
  },
  {
    name: "mongodb_network_bytes_total",
    help: "Bytes from and to clients",
    type: "counter",
    field: "network",
    label: "state",
    parts: { in_bytes: "bytesIn", out_bytes: "bytesOut" },
  },
  {
    name: "mongodb_asserts_total",
    help: "Assertions since the process started",
    type: "counter",
    field: "asserts",
    label: "type",
    parts: { regular: "regular", warning: "warning", msg: "msg", user: "user" },
  },
];

/** The text that Prometheus reads. */
export function metricsText(replicaSet: string, answers: readonly MemberAnswers[]): string {
  const registry = new MetricsRegistry();
  const up = { name: "mongodb_up", help: "Whether the member answers", labels: ["set", "member"] };
  registry.register(
    collected(up, "gauge", () =>
      answers.map(({ member, server }) => ({ labels: [replicaSet, member], value: server ? 1 : 0 })),
    ),
  );
  for (const metric of serverMetrics) registry.register(serverMetric(replicaSet, metric, answers));
  for (const family of setMetrics(replicaSet, answers)) registry.register(family);
  return registry.format();
}

function serverMetric(replicaSet: string, metric: ServerMetric, answers: readonly MemberAnswers[]) {
  const { name, help, type, field, label, parts } = metric;
  const labels = ["set", "member", ...(label ? [label] : [])];
  return collected({ name, help, labels }, type, () =>
    answers.flatMap(({ member, server }) => {
      const value = server?.[field];
      if (!parts) return numbered([replicaSet, member], value);
      if (!isObject(value)) return [];
      return Object.entries(parts).flatMap(([part, key]) => numbered([replicaSet, member, part], value[key]));
    }),
  );
}

/** MongoDB sends some numbers as objects of their own. */
function numbered(labels: readonly string[], value: unknown) {
  const number = value === undefined || value === null ? Number.NaN : Number(value);
  return Number.isFinite(number) ? [{ labels, value: number }] : [];
}

/** The set as the primary sees it; as any member does while there is none. */
function* setMetrics(replicaSet: string, answers: readonly MemberAnswers[]) {
  const known = answers.flatMap(({ set }) => (set ? [set] : []));
  const seen = known.find((set) => Number(set["myState"]) === 1) ?? known[0];
  const members = Array.isArray(seen?.["members"]) ? seen["members"].filter(isObject) : [];
  const labels = ["set", "member", "state"];
  const of = (field: (member: Document) => unknown) => () =>
    members.flatMap((member) =>
      numbered([replicaSet, nameOf(member), String(member["stateStr"])], field(member)),
    );
  const metric = (name: string, help: string, field: (member: Document) => unknown) =>
    collected({ name: `mongodb_mongod_replset_${name}`, help, labels }, "gauge", of(field));
  yield metric("member_health", "Whether others hear the member", (member) => member["health"]);
  yield metric("member_state", "MongoDB's number of the member's state", (member) => member["state"]);
  yield metric("member_optime_date", "The time of its last operation, in seconds since 1970", (member) =>
    member["optimeDate"] instanceof Date ? member["optimeDate"].getTime() / 1_000 : undefined,
  );
  yield metric("member_replication_lag", "Seconds behind the primary", (member) => lagOf(member, members));
  yield collected(
    { name: "mongodb_mongod_replset_number_of_members", help: "Members of the set", labels: ["set"] },
    "gauge",
    () => (seen ? [{ labels: [replicaSet], value: members.length }] : []),
  );
}

const nameOf = (member: Document): string => String(member["name"]).split(".")[0] ?? "";

function lagOf(member: Document, members: readonly Document[]): number | undefined {
  const primary = members.find((each) => Number(each["state"]) === 1)?.["optimeDate"];
  const own = member["optimeDate"];
  if (!(primary instanceof Date) || !(own instanceof Date) || Number(member["health"]) !== 1)
    return undefined;
  return Math.max(0, (primary.getTime() - own.getTime()) / 1_000);
}
