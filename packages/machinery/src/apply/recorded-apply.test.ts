// Replays recorded conversations with a real kube-apiserver on the engine alone: each recorded answer is the live object of
// the next step, so that a step depends on nothing but the engine.
import { existsSync, readFileSync } from "node:fs";
import { ApiError, type JSONSchemaProps, parseApiVersion, type TypeInfo } from "@kubewright/api";
import { kindTypeInfo, typeInfoFromSchema } from "@kubewright/api/type-info";
import { describe, expect, it } from "vitest";
import {
  type AnyObject,
  applyConfiguration,
  ignoreTimestamps,
  parentEntries,
  scaleEntries,
  trackUpdate,
  withManagedFields,
} from "../index.js";
import { applyMergePatch } from "../patch/merge-patch.js";

const folder = new URL("../../../../../shared/golden/recordings/", import.meta.url);
const present = existsSync(folder);

interface Step {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly contentType?: string;
    readonly body?: AnyObject;
  };
}

interface Answer {
  readonly name: string;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON
  readonly body: any;
}

function read(topic: string): { steps: readonly Step[]; answers: readonly Answer[] } {
  const load = (kind: string) => JSON.parse(readFileSync(new URL(`${kind}/${topic}.json`, folder), "utf8"));
  return { steps: load("scenarios").steps, answers: load("transcripts").steps };
}

/** Answers that later parts of the request path give, not this engine. */
const notOurs = [
  "apply without manager",
  "apply with a wrong name",
  "apply an invalid object",
  "update without a version is refused",
];

class Replay {
  readonly live = new Map<string, AnyObject>();
  readonly #customTypeInfo: TypeInfo | undefined;

  constructor(customTypeInfo?: TypeInfo) {
    this.#customTypeInfo = customTypeInfo;
  }

  typeInfo(apiVersion: string, kind: string): TypeInfo {
    const { group = "", version = "" } = parseApiVersion(apiVersion) ?? {};
    const typeInfo = kindTypeInfo({ group, version, kind }) ?? this.#customTypeInfo;
    if (!typeInfo) throw new Error(`no typeInfo of ${apiVersion} ${kind}`);
    return typeInfo;
  }

  /** The result of a step in the engine, before defaulting and strategies. */
  perform(step: Step, time: string): AnyObject {
    const { path, query = {}, contentType } = step.request;
    const subresource = /\/(status|scale)$/.exec(path)?.[1];
    const key = subresource ? path.slice(0, -subresource.length - 1) : path;
    if (contentType !== "application/apply-patch+yaml") return this.#update(step, key, time);
    if (subresource === "scale") return this.#scale(step, key, time);
    const applied = step.request.body ?? {};
    const live = this.live.get(key);
    const { apiVersion, kind } = (live ?? applied) as { apiVersion: string; kind: string };
    return applyConfiguration({
      live,
      applied,
      typeInfo: this.typeInfo(apiVersion, kind),
      apiVersion,
      kind,
      manager: query["fieldManager"] ?? "",
      force: query["force"] === "true",
      time,
      subresource,
      resetFields: subresource ? ["spec", "metadata"] : ["status"],
    }).object;
  }

  #update(step: Step, key: string, time: string): AnyObject {
    const { method, query = {}, body = {} } = step.request;
    const live = this.live.get(key) as AnyObject;
    const { apiVersion, kind } = live as { apiVersion: string; kind: string };
    // The server carries status over on updates of the main resource.
    const updated =
      method === "PUT" ? { ...body, status: live["status"] } : (applyMergePatch(live, body) as AnyObject);
    const manager = query["fieldManager"] ?? "golden-replay";
    const typeInfo = this.typeInfo(apiVersion, kind);
    const managedFields = trackUpdate({
      live,
      updated,
      typeInfo,
      manager,
      apiVersion,
      time,
      resetFields: ["status"],
    });
    return withManagedFields(updated, managedFields);
  }

  #scale(step: Step, key: string, time: string): AnyObject {
    const { query = {}, body = {} } = step.request;
    // biome-ignore lint/suspicious/noExplicitAny: recorded JSON
    const parent = this.live.get(key) as any;
    const paths = { [parent.apiVersion]: ".spec.replicas" };
    const live = {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: {
        name: parent.metadata.name,
        uid: parent.metadata.uid,
        managedFields: scaleEntries(parent.metadata.managedFields, paths),
      },
      spec: { replicas: parent.spec.replicas },
    };
    const result = applyConfiguration({
      live,
      applied: body,
      typeInfo: this.typeInfo("autoscaling/v1", "Scale"),
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      manager: query["fieldManager"] ?? "",
      force: query["force"] === "true",
      time,
      subresource: "scale",
    });
    const entries = parentEntries(
      parent.metadata.managedFields,
      result.managedFields,
      paths,
      parent.apiVersion,
    );
    return withManagedFields(
      { ...parent, spec: { ...parent.spec, ...(result.object["spec"] as object) } },
      entries,
    );
  }
}

function replay(topic: string, customTypeInfo?: TypeInfo): void {
  const { steps, answers } = read(topic);
  const state = new Replay(customTypeInfo);
  for (const step of steps) {
    const answer = answers.find(({ name }) => name === step.name);
    const { method = "", contentType = "" } = step.request ?? {};
    const ours = contentType.includes("apply") || contentType.includes("merge-patch") || method === "PUT";
    if (step.name === "managers after scale") {
      it(step.name, () =>
        expect(managedFields(state.live.get(step.request.path))).toEqual(managedFields(answer?.body)),
      );
    }
    if (!answer || !ours || notOurs.includes(step.name) || typeof step.request.body !== "object") continue;
    if (step.request.query?.["dryRun"]) continue;
    it(step.name, () => checkStep(state, step, answer));
  }
}

function checkStep(state: Replay, step: Step, answer: Answer): void {
  const time = "2026-11-15T03:44:48Z";
  if (answer.status >= 400) {
    if (/scale$/.test(step.request.path) && answer.status === 500) return;
    expectFailure(() => state.perform(step, time), answer);
    return;
  }
  const key = step.request.path.replace(/\/(status|scale)$/, "");
  const before = state.live.get(key);
  const object = state.perform(step, time);
  if (answer.body.kind === "Scale") {
    state.live.set(key, object);
    return;
  }
  state.live.set(key, answer.body);
  expect(managedFields(object)).toEqual(managedFields(answer.body));
  expectContent(withManagedFields(object, undefined), before, answer.body, step.request.path);
  const kept = before && metadata(before)["resourceVersion"] === metadata(answer.body)["resourceVersion"];
  if (kept && !("status" in (step.request.body ?? {}))) expect(ignoreTimestamps(object, before)).toBe(before);
}

const metadata = (object: AnyObject | undefined) => (object?.["metadata"] ?? {}) as AnyObject;
const managedFields = (object: AnyObject | undefined) => metadata(object)["managedFields"];

/** The engine's object holds nothing the answer lacks, and lacks nothing that was there before and still is. */
function expectContent(
  object: AnyObject,
  before: AnyObject | undefined,
  answer: AnyObject,
  path: string,
): void {
  const reset = path.endsWith("/status") ? ["spec"] : ["status"];
  const relevant = (value: AnyObject | undefined) =>
    Object.fromEntries(Object.entries(value ?? {}).filter(([key]) => !["metadata", ...reset].includes(key)));
  expect(relevant(answer)).toMatchObject(printed(relevant(object)) as object);
  expect(printed(relevant(object))).toMatchObject(common(relevant(before), relevant(answer)) as object);
}

/** Without what a native kind does not print. */
function printed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(printed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null && !(Array.isArray(item) && item.length === 0))
      .map(([key, item]) => [key, printed(item)]),
  );
}

/** The common part of two objects. Lists of different lengths are left out: new items get defaults later. */
function common(a: unknown, b: unknown): unknown {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return b;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return undefined;
    return b.map((item, index) => common(a[index], item));
  }
  const both = Object.entries(b).filter(([key]) => key in a);
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON
  const agreed = both.map(([key, value]) => [key, common((a as any)[key], value)]);
  return Object.fromEntries(agreed.filter(([, value]) => value !== undefined));
}

function expectFailure(act: () => unknown, { body }: Answer): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.message).toBe(body.message);
    expect(error.code).toBe(body.code);
    expect(error.reason).toBe(body.reason ?? "Unknown");
    if (body.details?.causes) expect(error.details?.causes).toEqual(body.details.causes);
    return;
  }
  expect.fail(`should fail: ${body.message}`);
}

describe("recorded: apply to native kinds", () => {
  if (!present) return it.skip("the recordings are not here");
  replay("ssa-native");
});

describe("recorded: apply to custom kinds", () => {
  if (!present) return it.skip("the recordings are not here");
  const crd = read("ssa-custom").steps.find(({ name }) => name === "create CRD apps");
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON
  const body = crd?.request.body as any;
  const schema = body.spec.versions[0].schema.openAPIV3Schema as JSONSchemaProps;
  replay("ssa-custom", typeInfoFromSchema(schema));
});
