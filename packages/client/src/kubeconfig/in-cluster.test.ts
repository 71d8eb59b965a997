import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Node, VirtualClock } from "@kubewright/api";
import { afterEach, beforeEach, expect, it } from "vitest";
import { clientFromKubeConfig } from "../client-from-kubeconfig.js";
import { json, loopback, testAuthority } from "../fixtures/loopback-server.js";
import { inClusterConfig } from "./in-cluster.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "serviceaccount-"));
});
afterEach(() => rm(directory, { recursive: true }));

const write = (name: string, text: string): Promise<void> => writeFile(join(directory, name), text);

it("in-cluster config: follows token and CA as they rotate", async () => {
  const first = testAuthority("first");
  const second = testAuthority("second");
  const tokens: (string | undefined)[] = [];
  const record: Parameters<typeof loopback>[0] = (request, response) => {
    tokens.push(request.headers.authorization);
    json(response, {});
  };
  const server = await loopback(record, first.server());
  await write("token", "one\n");
  await write("ca.crt", first.ca);
  await write("namespace", "shop");
  const clock = new VirtualClock();
  const env = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(server.port) };
  const config = await inClusterConfig({ env, directory });
  expect(config.contexts.get("in-cluster")?.namespace).toBe("shop");
  const client = clientFromKubeConfig(config, { clock, retry: false });
  await client.get(Node, "n");
  await write("token", "two");
  await clock.advance(59_000);
  await client.get(Node, "n");
  await clock.advance(1_000);
  await client.get(Node, "n");
  expect(tokens).toEqual(["Bearer one", "Bearer one", "Bearer two"]);
  await server.close();

  const renewed = await loopback(record, second.server());
  const other = clientFromKubeConfig(
    await inClusterConfig({ env: { ...env, KUBERNETES_SERVICE_PORT: String(renewed.port) }, directory }),
    { clock, retry: false },
  );
  await expect(other.get(Node, "n")).rejects.toMatchObject({ problem: "tls" });
  await write("ca.crt", second.ca);
  await clock.advance(60_000);
  await other.get(Node, "n");
  await Promise.all([client.close(), other.close(), renewed.close()]);
});

it("in-cluster config: reads the token again when it is refused", async () => {
  const server = await loopback((request, response) => {
    json(response, {}, request.headers.authorization === "Bearer fresh" ? 200 : 401);
  });
  await write("token", "stale");
  const config = await inClusterConfig({
    env: { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: "1" },
    directory,
  });
  const cluster = { server: server.url };
  const client = clientFromKubeConfig(
    { ...config, clusters: new Map([["in-cluster", cluster]]) },
    { retry: false },
  );
  await expect(client.get(Node, "n")).rejects.toMatchObject({ code: 401 });
  await write("token", "fresh");
  await client.get(Node, "n");
  await Promise.all([client.close(), server.close()]);
});

it("in-cluster config: writes an IPv6 address as in a URL", async () => {
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  const config = await inClusterConfig({ env, directory });
  expect(config.clusters.get("in-cluster")?.server).toBe("https://[fd00::1]:443");
});

it("in-cluster config: reports that there is no pod, and that the token is missing", async () => {
  await expect(inClusterConfig({ env: {} })).rejects.toThrow("not in a cluster");
  const env = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: "1" };
  const client = clientFromKubeConfig(await inClusterConfig({ env, directory }), { retry: false });
  await expect(client.get(Node, "n")).rejects.toThrow(
    `cannot read the token file ${join(directory, "token")}`,
  );
});
