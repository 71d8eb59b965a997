import { afterEach, describe, expect, it, vi } from "vitest";
import { TurnQueue } from "../request/turns.js";
import { type ApiServer, createApiServer } from "../server.js";

/** Counts how often a request lets others go first, where every stretch between two pauses takes long. */
async function turnsOf(server: ApiServer, path: string, text: string, type: string): Promise<number> {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
  const next = vi.spyOn(TurnQueue.prototype, "next").mockResolvedValue();
  const response = await server.transport()({
    method: "POST",
    path,
    query: new URLSearchParams("dryRun=All"),
    headers: { "content-type": type },
    body: { kind: "bytes", bytes: Buffer.from(text) },
  });
  vi.restoreAllMocks();
  expect([201, 422]).toContain(response.status);
  return next.mock.calls.length;
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const keyed = (count: number) => Object.fromEntries(many(count, (index) => [`key-${index}`, "v"]));
const object = (apiVersion: string, kind: string, rest: object) =>
  JSON.stringify({ apiVersion, kind, metadata: { name: "long" }, ...rest });
const containers = (count: number) => many(count, (index) => ({ name: `c${index}`, image: "i" }));
const template = (count: number) => ({
  metadata: { labels: { app: "a" } },
  spec: { containers: containers(count) },
});
const json = "application/json";

describe("others have their turn", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    [
      "containers in its template",
      "/apis/apps/v1/namespaces/default/deployments",
      (count: number) =>
        object("apps/v1", "Deployment", {
          spec: { selector: { matchLabels: { app: "a" } }, template: template(count) },
        }),
      json,
    ],
    [
      "keys",
      "/api/v1/namespaces/default/configmaps",
      (count: number) => object("v1", "ConfigMap", { data: keyed(count) }),
      json,
    ],
    [
      "labels",
      "/api/v1/namespaces/default/configmaps",
      (count: number) => object("v1", "ConfigMap", { metadata: { name: "long", labels: keyed(count) } }),
      json,
    ],
    [
      "addresses",
      "/api/v1/namespaces/default/endpoints",
      (count: number) =>
        object("v1", "Endpoints", {
          subsets: [{ addresses: many(count, (index) => ({ ip: `10.0.${index >> 8}.${index & 255}` })) }],
        }),
      json,
    ],
    [
      "lines",
      "/api/v1/namespaces/default/configmaps",
      (count: number) =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: long}\ndata:\n${many(count, (index) => `  k${index}: v\n`).join("")}`,
      "application/yaml",
    ],
  ])("while an object with many %s is worked on", async (_what, path, make, type) => {
    const server = createApiServer();
    const few = await turnsOf(server, path, make(2), type);
    const long = await turnsOf(server, path, make(3_000), type);
    server.close();
    expect(long - few).toBeGreaterThan(25);
  });
});
