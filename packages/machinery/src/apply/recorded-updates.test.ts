// The managed fields after every recorded create, update and patch of a kube-apiserver: from the recorded object before to the
// recorded object after.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type JSONSchemaProps, parseApiVersion, type TypeInfo } from "@kubewright/api";
import { kindTypeInfo, typeInfoFromSchema } from "@kubewright/api/type-info";
import { describe, expect, it } from "vitest";
import { trackUpdate } from "../index.js";

const folder = new URL("../../../../../shared/golden/recordings/", import.meta.url);
const present = existsSync(folder);

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
type Json = any;

/** Kinds that get or lose fields after managed fields were recorded, by allocation, admission or their own rules. */
const completedLater = ["Namespace", "Node", "Pod", "Service", "Job", "TokenRequest"];

class Topic {
  readonly #objects = new Map<string, Json>();
  readonly #schemas = new Map<string, JSONSchemaProps>();

  /** The write of a step, when it is one whose outcome follows from the objects alone. */
  next({ request }: Json, { status, body: after }: Json): Write | undefined {
    const { method, path, query = {}, contentType = "", body = {} } = request;
    if (status >= 300) return undefined;
    if (method === "POST") this.#learn(body);
    if (!after?.metadata?.uid || query.dryRun) return undefined;
    const subresource = /\/(status|scale|token)$/.exec(path)?.[1];
    const key = method === "POST" ? `${path}/${after.metadata.name}` : path.replace(/\/(status|scale)$/, "");
    const before = this.#objects.get(key);
    if (after.kind !== "Scale") this.#objects.set(key, after);
    const comparable = method === "POST" ? after.metadata.managedFields : before;
    if (!comparable || !/POST|PUT|PATCH/.test(method) || contentType.includes("apply")) return undefined;
    const typeInfo = this.#typeInfoOf(after);
    if (!typeInfo || subresource === "scale" || completedLater.includes(after.kind)) return undefined;
    const manager = query.fieldManager ?? "golden-replay";
    return { before, after, sent: body.metadata?.managedFields, manager, subresource, typeInfo };
  }

  #learn({ kind, spec }: Json): void {
    if (kind !== "CustomResourceDefinition") return;
    for (const { name, schema } of spec?.versions ?? []) {
      this.#schemas.set(`${spec.group}/${name} ${spec.names?.kind}`, schema?.openAPIV3Schema);
    }
  }

  #typeInfoOf({ apiVersion, kind }: Json): TypeInfo | undefined {
    const { group = "", version = "" } = parseApiVersion(apiVersion) ?? {};
    const schema = this.#schemas.get(`${apiVersion} ${kind}`);
    return kindTypeInfo({ group, version, kind }) ?? (schema && typeInfoFromSchema(schema));
  }
}

interface Write {
  readonly before: Json;
  readonly after: Json;
  readonly sent: Json;
  readonly manager: string;
  readonly subresource: string | undefined;
  readonly typeInfo: TypeInfo;
}

function check({ before, after, sent, manager, subresource, typeInfo }: Write): void {
  const { managedFields: expected, ...metadata } = after.metadata;
  const managedFields = trackUpdate({
    live: before,
    updated: { ...after, metadata: sent ? { ...metadata, managedFields: sent } : metadata },
    typeInfo,
    manager,
    apiVersion: after.apiVersion,
    time: "2026-11-15T03:44:48Z",
    subresource,
    resetFields: subresource ? ["spec", "metadata.labels"] : ["status"],
  });
  const timeless = (entries: Json) => entries?.map(({ time, ...entry }: Json) => entry);
  expect(timeless(managedFields)).toEqual(timeless(expected));
}

describe("recorded: managed fields after writes", () => {
  if (!present) return it.skip("the recordings are not here");
  for (const file of readdirSync(new URL("scenarios/", folder))) {
    const load = (kind: string): Json => JSON.parse(readFileSync(new URL(`${kind}/${file}`, folder), "utf8"));
    const scenario = load("scenarios");
    if (scenario.profile) continue;
    const answers = new Map<string, Json>(load("transcripts").steps.map((step: Json) => [step.name, step]));
    const topic = new Topic();
    for (const step of scenario.steps) {
      const answer = answers.get(step.name);
      const write = step.request && answer ? topic.next(step, answer) : undefined;
      if (write) it(`${scenario.topic}: ${step.name}`, () => check(write));
    }
  }
});
