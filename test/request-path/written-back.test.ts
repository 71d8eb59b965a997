// A client that reads an object and writes it back has changed nothing, however it was encoded on the way.
import { encodeProtobuf } from "@kubewright/machinery";
import { expect, test } from "vitest";
import { definition, gadget, samples } from "../robustness/samples.js";
import { type Sent, Target } from "../robustness/target.js";

interface Read {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

type Write = (object: Read, yaml: Uint8Array) => Omit<Sent, "path">;

const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const text = JSON.stringify;

/** Without what a patch may not name, or only with its version. */
const contentsOf = ({ metadata: _, ...contents }: Read): object => contents;

const writes: readonly (readonly [string, Write])[] = [
  ["as JSON", (object) => ({ method: "PUT", object })],
  ["as YAML", (_, yaml) => ({ method: "PUT", type: "application/yaml", bytes: yaml })],
  ["by a patch of nothing", () => ({ method: "PATCH", type: merge, bytes: "{}" })],
  ["by no operations", () => ({ method: "PATCH", type: "application/json-patch+json", bytes: "[]" })],
];

/** Of custom objects merge patches take nulls away, and strategic ones and protobuf are not for them. */
const nativeWrites: readonly (readonly [string, Write])[] = [
  ["by a merge patch", (object) => ({ method: "PATCH", type: merge, bytes: text(contentsOf(object)) })],
  [
    "by a strategic patch",
    (object) => ({ method: "PATCH", type: strategic, bytes: text(contentsOf(object)) }),
  ],
  [
    "as protobuf",
    (object) => ({ method: "PUT", type: "application/vnd.kubernetes.protobuf", bytes: protobufOf(object) }),
  ],
];

function protobufOf(object: Read): Uint8Array {
  const [first = "", second] = object.apiVersion.split("/");
  const gvk = { group: second === undefined ? "" : first, version: second ?? first, kind: object.kind };
  return encodeProtobuf(object as unknown as Parameters<typeof encodeProtobuf>[0], gvk);
}

const read = async (target: Target, path: string): Promise<Read> =>
  (await target.must({ method: "GET", path })) as unknown as Read;

async function yamlOf(target: Target, path: string): Promise<Uint8Array> {
  const { body } = await target.send({ method: "GET", path, headers: { accept: "application/yaml" } });
  if (body.kind === "bytes") return body.bytes;
  if (body.kind !== "stream") throw new Error(`an answer of ${body.kind}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The controller writes the status of a definition in its own time. */
const subjects = samples.filter((sample) => sample !== definition);

test.each(subjects.map((sample) => [String(sample.object["kind"]), sample] as const))(
  "%s",
  async (_, sample) => {
    const target = new Target();
    try {
      if (sample === gadget) await served(target, sample.path);
      await target.must({ method: "POST", path: sample.path, object: sample.object });
      const path = `${sample.path}/${sample.object.metadata.name}`;
      // What is set by default as an object is read is stored with its first update, as on kube-apiserver.
      await target.must({ method: "PATCH", path, type: merge, bytes: "{}" });
      const before = await read(target, path);
      for (const [way, write] of sample === gadget ? writes : [...writes, ...nativeWrites]) {
        const { status, body } = await target.send({ path, ...write(before, await yamlOf(target, path)) });
        expect({ way, status, body: status === 200 ? undefined : body }).toEqual({
          way,
          status: 200,
          body: undefined,
        });
        expect({ way, object: await read(target, path) }).toEqual({ way, object: before });
      }
    } finally {
      target.close();
    }
  },
);

async function served(target: Target, path: string): Promise<void> {
  await target.must({ method: "POST", path: definition.path, object: definition.object });
  await expect.poll(async () => (await target.send({ method: "GET", path })).status).toBe(200);
}
