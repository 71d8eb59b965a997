// The members of what an object stands for, such as the servers of a database: by convention a list `status.members`, each with a `name`.
// `role`, `leader`, `learner`, `health` and `healthy` are understood; all other plain fields are shown as they are.
import { isObject } from "@kubewright/api";
import type { MemberInfo } from "../protocol.js";

const most = 100;
const mostFields = 12;
const understood = new Set([
  "name",
  "role",
  "leader",
  "isLeader",
  "learner",
  "isLearner",
  "health",
  "healthy",
]);
const healthy = new Set(["healthy", "ready", "up", "ok", "true", "running", "online"]);

/** Undefined for an object that lists none. */
export function membersOf(status: unknown): readonly MemberInfo[] | undefined {
  const list = isObject(status) ? status["members"] : undefined;
  if (!Array.isArray(list)) return undefined;
  const members = list.filter(isObject).filter(({ name }) => typeof name === "string");
  return members.length === 0 ? undefined : members.slice(0, most).map(memberInfo);
}

function memberInfo(member: Readonly<Record<string, unknown>>): MemberInfo {
  const health = member["health"] ?? member["healthy"];
  const text = health === true ? "healthy" : health === false ? "unhealthy" : textOf(health);
  return {
    name: String(member["name"]),
    role: roleOf(member),
    isHealthy: text === "" ? undefined : healthy.has(text.toLowerCase()),
    health: text,
    fields: Object.entries(member)
      .filter(([field, value]) => !understood.has(field) && textOf(value) !== "")
      .slice(0, mostFields)
      .map(([field, value]) => [field, textOf(value)]),
  };
}

function roleOf(member: Readonly<Record<string, unknown>>): string {
  if (typeof member["role"] === "string" && member["role"] !== "") return member["role"];
  if (member["leader"] === true || member["isLeader"] === true) return "leader";
  return member["learner"] === true || member["isLearner"] === true ? "learner" : "";
}

function textOf(value: unknown): string {
  return ["string", "number", "boolean", "bigint"].includes(typeof value) ? String(value) : "";
}
