// Short sequences of requests, each with the last answer of a kube-apiserver 1.36.4: they were found by sending generated requests
// to both servers, and cut down to what made the difference.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "@kubewright/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAll, Wire } from "../robustness/target.js";

interface Step {
  readonly method?: string;
  readonly path?: string;
  readonly query?: Record<string, string>;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Milliseconds kube-apiserver was given to serve a CRD or to write a condition; ours needs a fraction of it. */
  readonly sleep?: number;
}

interface Case {
  readonly name: string;
  readonly requests: readonly Step[];
  readonly cleanup?: readonly Step[];
  readonly answer: Answer;
}

interface Answer {
  readonly status: number;
  readonly warnings?: readonly string[];
  readonly body: unknown;
}

const cases: readonly Case[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "kube-apiserver-answers.json"), "utf8"),
);
const namespace = "answers";

let wire: Wire;
beforeAll(async () => {
  wire = await Wire.start();
  await send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
});
afterAll(() => wire.close());

describe("answers as kube-apiserver 1.36.4 does", () => {
  for (const each of cases) test(each.name, () => expectSameAnswer(each));
});

async function expectSameAnswer({ requests, cleanup = [], answer }: Case): Promise<void> {
  const versions: string[] = [];
  let last: Answer | undefined;
  try {
    for (const step of requests) {
      if (step.sleep !== undefined) await sleep(Math.min(step.sleep, 200));
      if (step.path !== undefined) last = await send(step);
      const version = last === undefined ? undefined : resourceVersionOf(last.body);
      if (version !== undefined && !versions.includes(version)) versions.push(version);
    }
  } finally {
    for (const step of cleanup) await send(step);
  }
  if (last === undefined) throw new Error("a case has at least one request");
  expect(comparable(last, versions, answer)).toEqual(comparable(answer, [], answer));
}

async function send(step: Step): Promise<Answer> {
  const query = new URLSearchParams(step.query).toString();
  const path = inNamespace(step.path ?? "") + (query === "" ? "" : `?${query}`);
  const headers = {
    "user-agent": "difftest",
    "content-type": step.type ?? "application/json",
    ...step.headers,
  };
  const options = { method: step.method ?? "GET", headers };
  const text = step.body === undefined ? undefined : inNamespace(JSON.stringify(step.body));
  const response = await wire.open(path, options, (sent) => sent.end(text));
  const body = (await readAll(response)).toString();
  const warnings = response.headersDistinct["warning"] ?? [];
  return { status: response.statusCode ?? 0, warnings, body: parsed(body) };
}

const inNamespace = (text: string): string => text.replaceAll("$NS", namespace);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const metadataOf = (body: unknown): Record<string, unknown> =>
  isObject(body) && isObject(body["metadata"]) ? body["metadata"] : {};

function resourceVersionOf(body: unknown): string | undefined {
  const version = metadataOf(body)["resourceVersion"];
  return typeof version === "string" ? version : undefined;
}

/** What two servers can agree on: no times, uids and cluster IPs; of an error the causes as a set; a resource version only where the case is about it. */
function comparable(answer: Answer, versions: readonly string[], expected: Answer): unknown {
  const { status, warnings = [] } = answer;
  const body = answer.body;
  if (isObject(body) && body["kind"] === "Status") return { status, warnings, error: errorOf(body) };
  const wanted = resourceVersionOf(expected.body) !== undefined;
  const version = resourceVersionOf(body);
  const ordinal = version === undefined ? -1 : versions.indexOf(version);
  const resourceVersion = !wanted ? undefined : ordinal < 0 ? version : `<rv@${ordinal + 1}>`;
  return { status, warnings, resourceVersion, body: withoutTimes(body) };
}

function errorOf(body: Readonly<Record<string, unknown>>): unknown {
  const details = isObject(body["details"]) ? body["details"] : {};
  const causes = Array.isArray(details["causes"]) ? details["causes"] : [];
  return {
    reason: body["reason"],
    message: causes.length > 0 ? undefined : body["message"],
    causes: causes.map(({ field, reason, message }) => `${field}: ${reason}: ${unnumbered(message)}`).sort(),
  };
}

/** kube-apiserver numbers the types of rules by chance. */
const unnumbered = (message: string): string =>
  message.replace(/selfType\d+/g, "selfType").replaceAll(namespace, "$NS");

const ignored = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "time",
  "lastTransitionTime",
  "lastPhaseTransitionTime",
  "clusterIP",
  "clusterIPs",
]);
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function withoutTimes(value: unknown): unknown {
  if (typeof value === "string") return uuid.test(value) ? "<uuid>" : value.replaceAll(namespace, "$NS");
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !ignored.has(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, inOrder(key, withoutTimes(each))]));
}

/** Lists whose order is chance on kube-apiserver. */
const unordered = new Set(["resourceRules", "nonResourceRules"]);

function inOrder(key: string, value: unknown): unknown {
  if (key === "managedFields") return byManager(value);
  if (!unordered.has(key) || !Array.isArray(value)) return value;
  return value.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

/** Entries come in the order of their times, which differ by the second. */
const byManager = (entries: unknown): unknown =>
  Array.isArray(entries) ? entries.toSorted((a, b) => managerOf(a).localeCompare(managerOf(b))) : entries;
const managerOf = ({ manager, operation, subresource }: Record<string, string>): string =>
  `${manager}/${operation}/${subresource}`;
