// The health of an object, from the status that its own controller writes.
import { isConditionFalse, isConditionTrue, isObject, type KubeObject } from "@kubewright/api";
import type { JsonRecord } from "../apply/json-record.js";

/** `ready`: does what it is there for. `progressing`: on its way. `failed`: will not get there by itself. */
export interface Health {
  readonly state: "ready" | "progressing" | "failed";
  /** Why it is not ready. */
  readonly message?: string | undefined;
}

const ready: Health = { state: "ready" };

/** Built-in workloads by their counts, other kinds by their conditions; what has no status is ready when it exists. */
export function healthOf(object: KubeObject): Health {
  const record: JsonRecord = { ...object };
  const status = recordAt(record, "status");
  const observed = status["observedGeneration"];
  if (typeof observed === "number" && observed < (object.metadata?.generation ?? 0))
    return progressing("its latest spec has not been looked at yet");
  const rule = object.kind === undefined ? undefined : rules[`${object.kind} ${groupOf(object)}`];
  return rule ? rule(recordAt(record, "spec"), status) : byConditions(status);
}

type Rule = (spec: JsonRecord, status: JsonRecord) => Health;

const rules: Readonly<Record<string, Rule>> = {
  "Deployment apps": (spec, status) =>
    failure(status, "ReplicaFailure", "True") ??
    failure(status, "Progressing", "False") ??
    counted(count(spec, "replicas", 1), [status, "updatedReplicas"], [status, "availableReplicas"]),
  "ReplicaSet apps": (spec, status) => counted(count(spec, "replicas", 1), [status, "availableReplicas"]),
  "StatefulSet apps": (spec, status) =>
    status["updateRevision"] === status["currentRevision"]
      ? counted(count(spec, "replicas", 1), [status, "readyReplicas"])
      : progressing("an update is rolling out"),
  "DaemonSet apps": (_, status) =>
    counted(
      count(status, "desiredNumberScheduled", 0),
      [status, "updatedNumberScheduled"],
      [status, "numberAvailable"],
    ),
  "Job batch": (_, status) =>
    failure(status, "Failed", "True") ??
    (isConditionTrue(conditionsOf(status), "Complete") ? ready : progressing("it has not completed")),
  "Pod ": (_, status) => {
    if (status["phase"] === "Failed")
      return { state: "failed", message: text(status["message"], "it failed") };
    const isUp = status["phase"] === "Succeeded" || isConditionTrue(conditionsOf(status), "Ready");
    return isUp ? ready : progressing(`it is ${text(status["phase"], "Pending")}`);
  },
  "PersistentVolumeClaim ": (_, status) =>
    status["phase"] === "Bound" ? ready : progressing(`it is ${text(status["phase"], "Pending")}`),
  "Service ": (spec, status) => {
    const ingress = recordAt(status, "loadBalancer")["ingress"];
    const isWaiting = spec["type"] === "LoadBalancer" && !(Array.isArray(ingress) && ingress.length > 0);
    return isWaiting ? progressing("it has no address yet") : ready;
  },
};

/** The conventions custom kinds follow. */
function byConditions(status: JsonRecord): Health {
  const failed = failure(status, "Stalled", "True") ?? failure(status, "Degraded", "True");
  if (failed) return failed;
  for (const type of ["Ready", "Available"]) {
    const condition = conditionsOf(status).find((candidate) => candidate.type === type);
    if (condition)
      return condition.status === "True" ? ready : progressing(text(condition.message, `it is not ${type}`));
  }
  return ready;
}

interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly message?: string | undefined;
}

function conditionsOf(status: JsonRecord): readonly SeenCondition[] {
  const list = status["conditions"];
  return Array.isArray(list) ? list : [];
}

function failure(status: JsonRecord, type: string, when: "True" | "False"): Health | undefined {
  const list = conditionsOf(status);
  if (!(when === "True" ? isConditionTrue(list, type) : isConditionFalse(list, type))) return undefined;
  return {
    state: "failed",
    message: text(list.find((one) => one.type === type)?.message, `${type} is ${when}`),
  };
}

function counted(wanted: number, ...counts: readonly (readonly [JsonRecord, string])[]): Health {
  for (const [status, field] of counts) {
    const got = count(status, field, 0);
    if (got < wanted) return progressing(`${got} of ${wanted} ${field}`);
  }
  return ready;
}

function progressing(message: string): Health {
  return { state: "progressing", message };
}

function count(object: JsonRecord, field: string, absent: number): number {
  const value = object[field];
  return typeof value === "number" ? value : absent;
}

function text(value: unknown, absent: string): string {
  return typeof value === "string" && value !== "" ? value : absent;
}

function recordAt(object: JsonRecord, field: string): JsonRecord {
  const value = object[field];
  return isObject(value) ? value : {};
}

function groupOf({ apiVersion = "" }: KubeObject): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}
