// Replays recordings of kube-apiserver: CRDs it refused, custom resources it validated. Recordings are kept beside the
// repository, not in it; without them these tests are skipped.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CustomResourceDefinition, FieldError, StatusCause } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { createResourceSchema, type ResourceSchema } from "../structural/index.js";
import { crdWarnings, defaultCustomResourceDefinition, validateCustomResourceDefinition } from "./index.js";

interface Step {
  readonly name: string;
  readonly request?: {
    readonly method: string;
    readonly contentType?: string;
    readonly body?: Record<string, unknown>;
  };
}

interface Answer {
  readonly name: string;
  readonly status: number;
  readonly headers: { readonly warning?: readonly string[] };
  readonly body?: {
    readonly spec?: unknown;
    readonly details?: { readonly causes?: readonly StatusCause[] };
  };
  readonly selected?: Record<string, unknown>;
}

const directory = fileURLToPath(new URL("../../../../../shared/golden/recordings/", import.meta.url));
const recorded = existsSync(directory);
const describeRecorded = recorded ? describe : describe.skip;
if (!recorded)
  console.warn("no recordings of kube-apiserver beside the repository: replaying them is skipped");

function load<T>(kind: "scenarios" | "transcripts", topic: string): readonly T[] {
  if (!recorded) return [];
  const text = readFileSync(`${directory}${kind}/${topic}.json`, "utf8").replaceAll("{{run}}", "abc");
  return JSON.parse(text).steps;
}

/** The steps of a topic with the answers they got. */
function replay(
  topic: string,
  wanted: (step: Step) => boolean,
): readonly (readonly [string, Step, Answer])[] {
  const answers = load<Answer>("transcripts", topic);
  return load<Step>("scenarios", topic)
    .filter(wanted)
    .map((step) => [step.name, step, answers.find((answer) => answer.name === step.name)!] as const);
}

const isDefinition = (step: Step): boolean => step.request?.body?.["kind"] === "CustomResourceDefinition";
const text = ({ field, reason, message }: FieldError | StatusCause): string =>
  `${field}: ${reason}: ${message}`;
const causes = ({ body }: Answer): string[] => (body?.details?.causes ?? []).map(text).sort();

describeRecorded("recorded creates of CRDs get the recorded errors", () => {
  const steps = replay(
    "crd-rejections",
    (step) => isDefinition(step) && step.name !== "v1beta1 is not served",
  );

  it.each(steps)("%s", (_name, step, answer) => {
    const crd = defaultCustomResourceDefinition(step.request!.body as unknown as CustomResourceDefinition);
    const errors = validateCustomResourceDefinition(crd).map(text).sort();
    expect(errors).toEqual(causes(answer));
    const warnings = (answer.headers.warning ?? []).map((header) => JSON.parse(header.replace("299 - ", "")));
    if (answer.status === 201) expect(crdWarnings(crd)).toEqual(warnings);
  });
});

describeRecorded("recorded updates of a CRD get the recorded errors", () => {
  const create = replay("crd-lifecycle", ({ name }) => name === "create")[0]?.[1];
  const names = [
    "update schema",
    "group is immutable",
    "scope is immutable",
    "kind is immutable once established",
    "no versions",
    "stored versions must stay in spec",
  ];
  const steps = replay("crd-lifecycle", ({ name }) => names.includes(name));

  it.each(steps)("%s", (_name, step, answer) => {
    const created = defaultCustomResourceDefinition(
      create!.request!.body as unknown as CustomResourceDefinition,
    );
    const old: CustomResourceDefinition = {
      ...created,
      status: {
        storedVersions: ["v1"],
        acceptedNames: created.spec.names,
        conditions: [{ type: "Established", status: "True" }],
      },
    };
    const patched = mergePatch(old, step.request!.body) as unknown as CustomResourceDefinition;
    const errors = validateCustomResourceDefinition(patched, old).map(text).sort();
    expect(errors).toEqual(causes(answer));
  });
});

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

function schemaOf(body: unknown): ResourceSchema {
  const { spec } = body as CustomResourceDefinition;
  return createResourceSchema(spec.versions[0]!.schema!.openAPIV3Schema!);
}

describeRecorded("recorded creates of custom resources get the recorded errors", () => {
  const definition = replay("cr-validation", isDefinition)[0]?.[1].request?.body;
  const aboutMetadata = ["invalid metadata name", "invalid label", "metadata with a wrong type"];
  const steps = replay(
    "cr-validation",
    ({ name, request }) => request?.body?.["kind"] === "Val" && !aboutMetadata.includes(name),
  );

  it.each(steps)("%s", (_name, step, answer) => {
    const object = structuredClone(step.request!.body!);
    const { errors, unknownFields } = schemaOf(definition).admit(object);
    expect(errors.map(text).sort()).toEqual(causes(answer));
    if (answer.body?.spec !== undefined) expect(object["spec"]).toEqual(answer.body.spec);
    const warnings = unknownFields.map((field) => `299 - ${JSON.stringify(`unknown field "${field}"`)}`);
    expect(warnings).toEqual(answer.headers.warning ?? []);
  });
});

describeRecorded("recorded updates of custom resources after the schema was tightened", () => {
  const steps = replay(
    "cel-ratcheting",
    ({ request }) => request?.method === "PATCH" || request?.method === "POST",
  );
  const find = (name: string): Record<string, unknown> | undefined =>
    steps.find(([step]) => step === name)?.[1].request?.body;
  const tightened = find("tighten the schema");
  const updates = steps.filter(
    ([, { request }]) =>
      request?.contentType === "application/merge-patch+json" && request.body !== tightened,
  );

  it("are validated by the fields they change", () => {
    const schema = schemaOf(tightened);
    let stored = find("create with values that will become invalid")!;
    for (const [name, step, answer] of updates) {
      const changed = mergePatch(stored, step.request!.body) as Record<string, unknown>;
      const warnings: string[] = [];
      const onRatcheted = (error: FieldError): void => void warnings.push(`${error.field}: ${error.message}`);
      const { errors } = schema.admit(changed, { old: stored, onRatcheted });
      expect([name, ...errors.map(text).sort()]).toEqual([name, ...causes(answer)]);
      expect(warnings.map((warning) => `299 - ${JSON.stringify(warning)}`)).toEqual(
        answer.headers.warning ?? [],
      );
      if (answer.status === 200) stored = changed;
    }
  });
});
