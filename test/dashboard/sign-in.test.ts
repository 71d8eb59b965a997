// The dashboard a manager serves by itself: who gets in with a token of the API server, what they may do, and what ends it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AdjustableClock,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CustomResourceDefinition,
  ServiceAccount,
} from "@kubewright/api";
import { hasCondition, waitFor } from "@kubewright/client";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { defineController, defineManager, type RunningManager, silentLogger } from "@kubewright/runtime";
import { openManager } from "@kubewright/runtime/main";
import { Agent, fetch } from "undici";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { dashboardFrom } from "../../packages/dashboard/src/manager-dashboard.js";
// @ts-expect-error a script without types
import { buildPage } from "../../scripts/build-page.mjs";
import { Box, boxNamed, copiesOf } from "../runtime-controllers/harness.js";
import { Stream } from "./stream.js";

const controller = defineController(Box, {
  owns: [ConfigMap],
  async reconcile(box, ctx) {
    for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
  },
});

let cluster: Cluster;
let manager: RunningManager;
let folder: string;
const namespace = "default";
const clock = new AdjustableClock();

const start = (address: { host: string; port: number }) =>
  openManager(
    defineManager({ name: "boxes", controllers: [controller], dashboard: dashboardFrom(folder) }),
    { kubeconfig: join(folder, "kubeconfig"), dashboard: address, preflight: "off" },
    { env: {}, log: silentLogger, clock },
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-sign-in-"));
  await buildPage(folder);
  cluster = await startCluster({ nodes: 0 });
  const { client } = cluster;
  await client.apply(CustomResourceDefinition, Box.crd());
  await waitFor(client, CustomResourceDefinition, `${Box.plural}.${Box.group}`, hasCondition("Established"));
  writeFileSync(join(folder, "kubeconfig"), (await cluster.listen()).kubeconfig);
  const nonResource = (name: string, verbs: string[]) =>
    client.create(ClusterRole, { metadata: { name }, rules: [{ nonResourceURLs: ["/dashboard"], verbs }] });
  await nonResource("dashboard-viewer", ["get"]);
  await nonResource("dashboard-operator", ["get", "put"]);
  await client.create(ClusterRole, {
    metadata: { name: "box-viewer" },
    rules: [{ apiGroups: [Box.group], resources: [Box.plural], verbs: ["get", "list", "watch"] }],
  });
  await person("stranger", []);
  await person("viewer", ["dashboard-viewer", "box-viewer"]);
  await person("operator", ["dashboard-operator", "box-viewer"]);
  manager = await start({ host: "127.0.0.1", port: 0 });
}, 60_000);
afterAll(async () => {
  await manager?.close();
  await cluster?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function person(name: string, roles: readonly string[]): Promise<void> {
  await cluster.client.create(ServiceAccount, { metadata: { name, namespace } });
  for (const role of roles)
    await cluster.client.create(ClusterRoleBinding, {
      metadata: { name: `${name}-${role}` },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    });
}

const tokenOf = async (name: string): Promise<string> => {
  const { status } = await cluster.client.createToken(name, {}, { namespace });
  return status?.token ?? "";
};

const url = (): string => manager.addresses.dashboard ?? "";

async function greeted(token: string): Promise<Stream> {
  const stream = await new Stream(url()).opened();
  stream.send({ kind: "hello", token });
  return stream;
}

describe("signing in at a manager's dashboard", () => {
  test("its address has no token in it, and the log of the manager none either", () => {
    expect(new URL(url()).hash).toBe("");
    expect(new URL(url()).hostname).toBe("127.0.0.1");
  });

  test.each([
    ["no token", async () => "", /a token of the API server is needed/],
    ["a token that is none", async () => "nonsense", /does not accept the token/],
    ["characters no header can have", async () => "a\r\nb", /a token of the API server is needed/],
    ["the token of somebody without the permission", () => tokenOf("stranger"), /may not get the path/],
  ])("%s is refused with the reason", async (_, token, message) => {
    const stream = await greeted(await token());
    expect(await stream.find({ kind: "refused" })).toMatchObject({
      signsIn: true,
      message: expect.stringMatching(message),
    });
    await vi.waitFor(() => expect(stream.isClosed).toBe(true));
  });

  test("a person sees what the API server lets them see, and reconciles", async () => {
    await cluster.client.create(Box, boxNamed("seen", { copies: 1 }));
    const stream = await greeted(await tokenOf("viewer"));
    await stream.find({ kind: "welcome" });
    stream.send({ kind: "subscribe", id: 1, topic: { topic: "objects" } });
    stream.send({ kind: "subscribe", id: 2, topic: { topic: "reconciles" } });
    await vi.waitFor(
      () => {
        const sent = JSON.stringify(stream.messages);
        expect({
          object: sent.includes('"name":"seen"'),
          problem: sent.includes("configmaps is forbidden"),
          reconcile: /"key":"default\/seen".*"kind":"Box"/.test(sent),
        }).toEqual({ object: true, problem: true, reconcile: true });
      },
      { timeout: 10_000 },
    );
    expect(JSON.stringify(stream.messages).includes("daemonsets"), "a kind it has nothing to do with").toBe(
      false,
    );
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine, namespace: default}\n`;
    stream.send({ kind: "call", id: 3, call: { call: "apply", yaml, force: false } });
    expect(await stream.find({ kind: "failure", id: 3 })).toMatchObject({
      failure: { reason: "Forbidden", message: expect.stringContaining("viewer") },
    });
    stream.close();
  });

  test("pausing a controller needs a permission of its own", async () => {
    const pause = { call: "pause-controller", manager: "boxes", controller: "box", paused: true };
    const viewer = await greeted(await tokenOf("viewer"));
    await viewer.find({ kind: "welcome" });
    viewer.send({ kind: "call", id: 1, call: pause });
    expect(await viewer.find({ kind: "failure", id: 1 })).toMatchObject({
      failure: { reason: "Forbidden", message: expect.stringContaining("put") },
    });
    const operator = await greeted(await tokenOf("operator"));
    await operator.find({ kind: "welcome" });
    operator.send({ kind: "call", id: 1, call: pause });
    await operator.find({ kind: "answer", id: 1 });
    operator.send({ kind: "call", id: 2, call: { ...pause, paused: false } });
    await operator.find({ kind: "answer", id: 2 });
    operator.send({ kind: "call", id: 3, call: { call: "advance-time", milliseconds: 1 } });
    expect(await operator.find({ kind: "failure", id: 3 })).toMatchObject({
      failure: { message: "this cluster cannot do that" },
    });
    viewer.close();
    operator.close();
  });

  test("a token that is no longer good ends the access of its page within a minute", async () => {
    await person("leaver", ["dashboard-viewer"]);
    const stream = await greeted(await tokenOf("leaver"));
    await stream.find({ kind: "welcome" });
    await cluster.client.delete(ServiceAccount, "leaver", { namespace });
    await clock.advance(61_000);
    expect(await stream.find({ kind: "refused" })).toMatchObject({
      signsIn: true,
      message: expect.stringContaining("expired"),
    });
    await vi.waitFor(() => expect(stream.isClosed).toBe(true));
  });

  test("a stream from another site is not opened, whatever name leads here", async () => {
    const stream = new Stream(url(), { headers: { origin: "http://evil.example" } });
    await vi.waitFor(() => expect(stream.isClosed).toBe(true));
    expect(stream.messages).toEqual([]);
  });

  test("beyond loopback it is served with TLS only", async () => {
    const exposed = await start({ host: "0.0.0.0", port: 0 });
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    try {
      const address = (exposed.addresses.dashboard ?? "").replace("0.0.0.0", "127.0.0.1");
      expect(new URL(address).protocol).toBe("https:");
      expect(await (await fetch(address, { dispatcher })).text()).toContain("<title>Kubewright</title>");
      await expect(fetch(address.replace("https", "http"))).rejects.toThrow();
      const stream = await new Stream(address, { dispatcher }).opened();
      stream.send({ kind: "hello", token: await tokenOf("viewer") });
      await stream.find({ kind: "welcome" });
      stream.close();
    } finally {
      await exposed.close();
      await dispatcher.close();
    }
  });

  test("a manager without a dashboard says how to get one", async () => {
    const definition = defineManager({ name: "bare", controllers: [controller] });
    const settings = { kubeconfig: join(folder, "kubeconfig"), dashboard: { host: "127.0.0.1", port: 0 } };
    await expect(openManager(definition, settings, { env: {}, log: silentLogger })).rejects.toThrow(
      /manager "bare" has no dashboard: import \{ dashboard \} from "@kubewright\/dashboard"/,
    );
  });
});
