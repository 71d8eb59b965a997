import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/api/v1/namespaces/test/configmaps";
const configMap = (name: string, rest: object) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...rest,
});

describe("ConfigMap", () => {
  it.each([
    ["a key that is no file name", { data: { "a b": "" } }, ["data[a b]"]],
    ["a key in both maps", { data: { x: "" }, binaryData: { x: "AAEC" } }, ["data[x]"]],
    ["a bad binary key", { binaryData: { "..": "AAEC" } }, ["binaryData[..]"]],
    ["more than a mebibyte", { data: { a: "é".repeat(512 * 1024 + 1) } }, ["[]"]],
    ["a mebibyte", { data: { a: "é".repeat(512 * 1024) } }, []],
  ])("accepts or refuses %s", async (_, content, fields) => {
    const { call } = await kindServer();
    const { body } = await call("POST", path, configMap("a", content));
    expect((body.details?.causes ?? []).map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  it("accepts only changes of metadata once it is immutable", async () => {
    const { call, patch, causes } = await kindServer();
    await call("POST", path, configMap("a", { data: { k: "v" }, immutable: true }));
    expect(causes(await patch(`${path}/a`, { data: { k: "w" } }))).toEqual([
      "data: Forbidden: field is immutable when `immutable` is set",
    ]);
    expect(causes(await patch(`${path}/a`, { immutable: null }))).toEqual([
      "immutable: Forbidden: field is immutable when `immutable` is set",
    ]);
    expect((await patch(`${path}/a`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
  });
});
