import { expect, test } from "vitest";
import { parseYaml } from "../../codec/index.js";
import { deleteOptions } from "../../registry/delete-options.js";
import type { RequestContext } from "../../request/context.js";
import { decodeAction } from "./action-body.js";

/** A request whose body counts how often it is read. */
function requestOf(text: string) {
  const read = { times: 0 };
  const context = {
    request: {
      headers: { "content-type": "application/yaml" },
      body: { kind: "bytes", bytes: Buffer.from(text) },
    },
    warnings: [],
    readers: {
      readYaml: (bytes: Uint8Array) => {
        read.times += 1;
        return parseYaml(bytes);
      },
    },
  } as unknown as RequestContext;
  return { context, read };
}

const ignoring = { fieldValidation: "Ignore" } as const;
const [v1, v1beta1] = ["v1", "v1beta1"].map((version) => ({ group: "policy", version, kind: "Eviction" }));

test("an eviction in any of its versions takes what was read in turns, and once", async () => {
  for (const apiVersion of ["policy/v1", "policy/v1beta1"]) {
    const { context, read } = requestOf(`apiVersion: ${apiVersion}\nkind: Eviction\nmetadata:\n  name: a\n`);
    const eviction = await decodeAction(context, [v1!, v1beta1!], ignoring);
    expect(eviction).toMatchObject({ apiVersion, metadata: { name: "a" } });
    expect(read.times).toBe(1);
  }
});

test("a binding takes what was read in turns", async () => {
  const { context, read } = requestOf("apiVersion: v1\nkind: Binding\nmetadata:\n  name: a\n");
  await decodeAction(context, [{ group: "", version: "v1", kind: "Binding" }], ignoring);
  expect(read.times).toBe(1);
});

test("options of a deletion are what was read in turns", async () => {
  const { context, read } = requestOf("kind: DeleteOptions\ngracePeriodSeconds: 7\n");
  expect(await deleteOptions(context)).toMatchObject({ gracePeriodSeconds: 7 });
  expect(read.times).toBe(1);
});
