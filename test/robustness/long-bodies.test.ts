// Bodies that take long to work on, many at once, with short requests among them.
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
    const long = Array.from({ length: 12 }, (_, index) => {
      const name = `${method.toLowerCase()}-${index}`;
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: entries(15_000) };
      const path = method === "POST" ? maps : `${maps}/${name}?fieldManager=me`;
      return send(method, path, JSON.stringify(object), type);
    });
    for (let index = 0; index < 20; index++) expect(await send("GET", "/version")).toBe(200);
    expect(await Promise.all(long)).toEqual(Array(12).fill(201));
  });
});
