import { existsSync, readFileSync } from "node:fs";
import type { JSONSchemaProps } from "@kubewright/api";
import { compileSchemaRules } from "@kubewright/cel";
import { describe, expect, it } from "vitest";
import { createResourceSchema } from "./resource-schema.js";

// Recorded answers of kube-apiserver, replayed through the schema engine with its rules.
const folder = new URL("../../../../../shared/golden/recordings/", import.meta.url);
const isPresent = existsSync(folder);
if (!isPresent) console.warn("recordings of kube-apiserver are not here; rules are not compared with them");

interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

interface Step {
  readonly name: string;
  readonly request?: { readonly method: string; readonly path: string; readonly body?: Json };
}

interface Answer {
  readonly name: string;
  readonly status: number;
  readonly body?: { readonly details?: { readonly causes?: readonly Cause[] } };
}

type Json = { readonly [key: string]: unknown };

function load(topic: string): readonly { step: Step; answer: Answer }[] {
  const read = (kind: string) => JSON.parse(readFileSync(new URL(`${kind}/${topic}.json`, folder), "utf8"));
  const answers: readonly Answer[] = read("transcripts").steps;
  const steps: readonly Step[] = read("scenarios").steps;
  return steps.flatMap((step) => {
    const answer = answers.find(({ name }) => name === step.name);
    return answer === undefined ? [] : [{ step, answer }];
  });
}

/** RFC 7386, as the scenarios send it. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(typeof target === "object" ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

const schemaOf = (crd: Json): JSONSchemaProps =>
  (crd["spec"] as { versions: { schema: { openAPIV3Schema: JSONSchemaProps } }[] }).versions[0]!.schema
    .openAPIV3Schema;

const prepare = (schema: JSONSchemaProps) =>
  createResourceSchema(schema, { path: "spec.validation.openAPIV3Schema" });

const causesOf = (errors: readonly Cause[]): readonly Cause[] =>
  errors.map(({ field, reason, message }) => ({ field, reason, message }));

describe.skipIf(!isPresent).each(["cel-rules", "cel-ratcheting"])("recorded %s", (topic) => {
  const steps = isPresent ? load(topic) : [];
  const isCrd = (path: string): boolean => path.includes("customresourcedefinitions");
  it("is answered as kube-apiserver answered it", () => {
    let schema = prepare({});
    const stored = new Map<string, unknown>();
    let compared = 0;
    for (const { step, answer } of steps) {
      const { method, path, body } = step.request ?? { method: "GET", path: "" };
      if (isCrd(path) && body?.["spec"] !== undefined) schema = prepare(schemaOf(body));
      if (body === undefined || isCrd(path) || method === "DELETE" || !path.includes("example.com/"))
        continue;
      const name = method === "POST" ? "" : (path.split("/").find((part) => stored.has(part)) ?? "");
      const old = stored.get(name);
      const object = structuredClone(method === "POST" ? body : merge(old, body));
      const errors = schema.admit(object, { old }).errors;
      expect([step.name, causesOf(errors)]).toEqual([
        step.name,
        causesOf(answer.body?.details?.causes ?? []),
      ]);
      compared += 1;
      if (answer.status >= 300) continue;
      stored.set((object as { metadata: { name: string } }).metadata.name, object);
    }
    expect(compared).toBeGreaterThan(9);
  });
});

describe.skipIf(!isPresent)("recorded refusals of CRDs with rules", () => {
  const steps = isPresent ? load("crd-rejections") : [];
  const ruled = steps.filter(({ step }) =>
    JSON.stringify(step.request?.body ?? "").includes("x-kubernetes-validations"),
  );

  it.each(ruled.map(({ step, answer }) => [step.name, step, answer] as const))(
    "%s",
    (_name, step, answer) => {
      const rules = compileSchemaRules(schemaOf(step.request?.body ?? {}), {
        path: "spec.validation.openAPIV3Schema",
      });
      expect(causesOf(rules.errors)).toEqual(causesOf(answer.body?.details?.causes ?? []));
    },
  );
});
