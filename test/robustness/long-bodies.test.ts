// Bodies that take long to read, many at once. Those who want little must not have to wait for all of them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./target.js";

const maps = "/api/v1/namespaces/default/configmaps";
let wire: Wire;
beforeAll(async () => {
  wire = await Wire.start();
});
afterAll(() => wire.close());

const entries = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, "v".repeat(20)]));

/** Resolves to the status when the answer has come. */
async function send(method: string, path: string, body?: string, type = "application/json"): Promise<number> {
  const headers = { "content-type": type, "content-length": Buffer.byteLength(body ?? "") };
  const answer = await wire.open(path, { method, headers }, (request) => request.end(body));
  for await (const _ of answer);
  return answer.statusCode ?? 0;
}

describe("while many long bodies are worked on", () => {
  test.each([
    ["creates", "POST", "application/json"],
    ["applies", "PATCH", "application/apply-patch+yaml"],
  ] as const)("of %s, others are answered", { timeout: 60_000 }, async (_what, method, type) => {
    const done: string[] = [];
    const long = Array.from({ length: 12 }, async (_, index) => {
      const name = `${method.toLowerCase()}-${index}`;
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: entries(15_000) };
      const path = method === "POST" ? maps : `${maps}/${name}?fieldManager=me`;
      const status = await send(method, path, JSON.stringify(object), type);
      done.push(`long ${status}`);
    });
    const short = (async () => {
      for (let index = 0; index < 20; index++) expect(await send("GET", "/version")).toBe(200);
      done.push("short");
    })();
    await Promise.all([...long, short]);
    expect(done.filter((what) => what === "long 201")).toHaveLength(12);
    // Twenty small requests, one after the other, are through before the last of the long ones is.
    expect(done.at(-1)).toBe("long 201");
  });
});
