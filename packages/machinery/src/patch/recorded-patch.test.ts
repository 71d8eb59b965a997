// Replays recorded patches against a real kube-apiserver on the engines alone.
import { existsSync, readFileSync } from "node:fs";
import { ApiError } from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import { describe, expect, it } from "vitest";
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from "../index.js";

const folder = new URL("../../../../../shared/golden/recordings/", import.meta.url);
const present = existsSync(folder);

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
type Json = any;

function read(topic: string): { steps: Json[]; answers: Json[] } {
  const load = (kind: string) => JSON.parse(readFileSync(new URL(`${kind}/${topic}.json`, folder), "utf8"));
  return { steps: load("scenarios").steps, answers: load("transcripts").steps };
}

const typeInfoOf = (apiVersion: string, kind: string) => {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  return kindTypeInfo({ group, version, kind }) as NonNullable<ReturnType<typeof kindTypeInfo>>;
};

function patched(live: Json, { contentType, body }: Json): Json {
  if (contentType.includes("json-patch")) return applyJsonPatch(live, body);
  if (contentType.includes("strategic")) {
    return applyStrategicMergePatch(live, body, typeInfoOf(live.apiVersion, live.kind));
  }
  return applyMergePatch(live, body);
}

function failure(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return expect.fail("should fail");
}

/** Empty maps and lists are not printed by the kinds patched here. */
function printed(value: Json): Json {
  if (Array.isArray(value)) return value.map(printed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, printed(item)]);
  return Object.fromEntries(
    entries.filter(([, item]) => typeof item !== "object" || Object.keys(item ?? {}).length > 0),
  );
}

const stripped = ({ metadata: { resourceVersion, managedFields, ...metadata }, ...object }: Json) =>
  printed({ ...object, metadata });

/** Refused after patching: when the result is decoded or validated. */
const refusedLater = ["wrong type for a value", "replace the kind", "wrong type in merge patch"];

describe("recorded: JSON and merge patches", () => {
  if (!present) return it.skip("the recordings are not here");
  const { steps, answers } = read("patch-json-merge");
  let live: Json;
  for (const step of steps) {
    const answer = answers.find(({ name }) => name === step.name);
    const { method, contentType = "", body, rawBody } = step.request;
    if (method !== "PATCH" || !/(json|merge)-patch/.test(contentType) || rawBody) continue;
    if (refusedLater.includes(step.name)) continue;
    it(step.name, () => {
      live ??= { ...steps[1].request.body, apiVersion: "v1", kind: "ConfigMap" };
      if (answer.status >= 400) {
        const error = failure(() => patched(live, { contentType, body }));
        expect([error.code, error.reason, error.message]).toEqual([
          answer.body.code,
          answer.body.reason,
          answer.body.message,
        ]);
        return;
      }
      const { bogus: _dropped, ...result } = patched(live, { contentType, body });
      const { uid, creationTimestamp, namespace, ...metadata } = stripped(answer.body).metadata;
      expect(stripped({ ...result })).toMatchObject(printed({ data: answer.body.data ?? {}, metadata }));
      expect(stripped(answer.body)).toMatchObject(stripped(result));
      live = answer.body;
    });
  }
});

/** The server's defaults for the parts of a Deployment that are patched here. */
const defaults: Json = {
  containers: {
    resources: {},
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
  },
  ports: { protocol: "TCP" },
  configMap: { defaultMode: 420 },
};

/** Without defaults, wherever they stand. */
function undefaulted(value: Json, name = ""): Json {
  if (Array.isArray(value)) return value.map((item) => undefaulted(item, name));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, item]) => JSON.stringify(item) !== JSON.stringify(defaults[name]?.[key]))
    .map(([key, item]) => [key, undefaulted(item, key)]);
  return Object.fromEntries(entries);
}

const withStrategy = (object: Json) =>
  object.kind === "Deployment"
    ? {
        ...object,
        spec: { ...object.spec, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%" } } },
      }
    : object;

const at = (object: Json, path: string) =>
  path.split(".").reduce((value: Json, key) => value?.[key], object) ?? null;

describe("recorded: strategic merge patches", () => {
  if (!present) return it.skip("the recordings are not here");
  const { steps, answers } = read("patch-strategic");
  const live = new Map<string, Json>();
  for (const step of steps) {
    const answer = answers.find(({ name }) => name === step.name);
    const { method, path, contentType = "", body } = step.request;
    if (method === "POST") live.set(`${path}/${body.metadata.name}`, withStrategy(body));
    if (method !== "PATCH") continue;
    it(step.name, () => {
      const before = live.get(path);
      if (answer.status === 422) return;
      if (answer.status >= 400) {
        const error = failure(() => patched(before, { contentType, body }));
        expect([error.code, error.reason, error.message]).toEqual([
          answer.body.code,
          answer.body.reason ?? "Unknown",
          answer.body.message,
        ]);
        return;
      }
      const after = patched(before, { contentType, body });
      live.set(path, after);
      for (const [where, expected] of Object.entries<Json>(answer.selected)) {
        if (where === "metadata.generation") continue;
        const actual = at(after, where);
        const name = where.split(".").at(-1) ?? "";
        const { rollingUpdate: _default, ...rest } = expected ?? {};
        const wanted = name === "strategy" ? rest : expected;
        expect(undefaulted(printed(actual), name)).toEqual(undefaulted(wanted, name) ?? printed(actual));
      }
    });
  }
});
