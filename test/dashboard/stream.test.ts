// The stream between page and server, without a browser: who gets in, and what a page is sent.
import { request } from "node:http";
import { ClusterRole, ClusterRoleBinding, systemClock } from "@kubewright/api";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ObjectFeed } from "../../packages/dashboard/src/objects/object-feed.js";
import type { ObjectsUpdate } from "../../packages/dashboard/src/protocol.js";
import { Box, boxNamed, DashboardFixture } from "./fixture.js";
import { type Message, Stream } from "./stream.js";

let fixture: DashboardFixture;
beforeAll(async () => {
  fixture = await DashboardFixture.start();
});
afterAll(() => fixture.close());

const origin = (): string => new URL(fixture.dashboard.url).origin;
const token = (): string => new URL(fixture.dashboard.url).hash.replace("#token=", "");

async function admitted(): Promise<Stream> {
  const stream = await new Stream(origin()).opened();
  stream.send({ kind: "hello", token: token() });
  await stream.find({ kind: "welcome" });
  return stream;
}

const status = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin());
    request({ hostname, port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });

describe("who gets in", () => {
  test("a wrong token is refused and the connection ends", async () => {
    const stream = await new Stream(origin()).opened();
    stream.send({ kind: "hello", token: "wrong" });
    expect(await stream.find({ kind: "refused" })).toMatchObject({
      message: expect.stringContaining("token"),
    });
    await vi.waitFor(() => expect(stream.isClosed).toBe(true));
  });

  test.each([
    ["a subscription", { kind: "subscribe", id: 1, topic: { topic: "objects" } }],
    ["a call", { kind: "call", id: 1, call: { call: "apply", yaml: "", force: true } }],
    ["nonsense", "{"],
  ])("%s before the token is refused", async (_, message) => {
    const stream = await new Stream(origin()).opened();
    stream.send(message);
    await stream.find({ kind: "refused" });
    expect(stream.messages).toHaveLength(1);
  });

  test.each([
    ["another origin", { origin: "http://evil.example" }],
    ["no origin", {}],
  ])("a stream from %s is not opened", async (_, headers) => {
    const stream = new Stream(origin(), { headers });
    await vi.waitFor(() => expect(stream.isClosed).toBe(true));
    expect(stream.messages).toEqual([]);
  });

  test("requests under a name that is not this machine's are refused", async () => {
    expect(await status("/")).toBe(200);
    expect(await status("/", { host: "evil.example" })).toBe(421);
    expect(await status("/", {}, "POST")).toBe(405);
    expect(await status("/../package.json")).toBe(404);
  });
});

describe("what a page is sent", () => {
  test("objects with their owners and health, then every change", async () => {
    const stream = await admitted();
    await fixture.client.create(Box, boxNamed("sent", { copies: 1 }));
    stream.send({ kind: "subscribe", id: 1, topic: { topic: "objects" } });
    const summaries = (): Map<string, Message> =>
      new Map(
        stream.messages
          .filter((message) => message["id"] === 1)
          .flatMap(({ update }) => (update as { changed: Message[] }).changed)
          .map((each) => [`${each["kind"]}/${each["name"]}`, each]),
      );
    await vi.waitFor(() => expect([...summaries().keys()]).toContain("ConfigMap/sent-0"), {
      timeout: 10_000,
    });
    const box = summaries().get("Box/sent");
    expect(box).toMatchObject({ custom: true, health: "ready", namespace: "default" });
    expect(summaries().get("ConfigMap/sent-0")).toMatchObject({ owners: [box?.["uid"]] });
    await fixture.client.delete(Box, "sent", { namespace: "default" });
    await vi.waitFor(() => {
      const removed = stream.messages.flatMap(
        ({ update }) => (update as { removed?: string[] })?.removed ?? [],
      );
      expect(removed).toContain(box?.["uid"]);
    });
    stream.close();
  });

  test("a reconcile with its reason and its writes", async () => {
    const stream = await admitted();
    stream.send({ kind: "subscribe", id: 1, topic: { topic: "reconciles" } });
    await fixture.client.create(Box, boxNamed("told", { copies: 1 }));
    await vi.waitFor(
      () => {
        const records = stream.messages.flatMap(
          ({ update }) => (update as { records?: Message[] })?.records ?? [],
        );
        expect(records).toContainEqual(
          expect.objectContaining({
            key: "default/told",
            kind: "Box",
            outcome: "success",
            reasons: expect.arrayContaining([expect.stringContaining("added")]),
            writes: expect.arrayContaining([expect.objectContaining({ verb: "apply", kind: "ConfigMap" })]),
          }),
        );
      },
      { timeout: 10_000 },
    );
    stream.close();
  });

  test("texts of an object stay texts when its YAML is given to kubectl", async () => {
    const note = "a\nb\u2028data: {evil: yes}";
    const map = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "noted", namespace: "default", annotations: { note } },
    };
    await fixture.client.create(await fixture.client.resource(map), map);
    const stream = await admitted();
    const object = { group: "", version: "v1", plural: "configmaps", namespace: "default", name: "noted" };
    stream.send({ kind: "subscribe", id: 1, topic: { topic: "object", object } });
    const { update } = await stream.find({ kind: "update", id: 1 });
    const { yaml } = update as { yaml: string };
    expect(yaml).not.toContain("\u2028");
    expect(yaml).toContain('note: "a\\nb\\u2028data: {evil: yes}"');
    stream.close();
  });

  test("values of a Secret are never sent", async () => {
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "keys", namespace: "default" },
      stringData: { password: "hunter2hunter2" },
    };
    await fixture.client.create(await fixture.client.resource(secret), secret);
    const stream = await admitted();
    const resource = { group: "", version: "v1", plural: "secrets" };
    stream.send({ kind: "subscribe", id: 1, topic: { topic: "objects" } });
    stream.send({ kind: "subscribe", id: 2, topic: { topic: "table", resource } });
    stream.send({
      kind: "subscribe",
      id: 3,
      topic: { topic: "object", object: { ...resource, namespace: "default", name: "keys" } },
    });
    const { update } = await stream.find({ kind: "update", id: 3 });
    expect((update as { yaml: string }).yaml).toContain("password: (hidden)");
    await stream.find({ kind: "update", id: 2 });
    await stream.find({ kind: "update", id: 1 });
    const sent = JSON.stringify(stream.messages);
    expect(sent).not.toContain("hunter2");
    expect(sent).not.toContain(Buffer.from("hunter2hunter2").toString("base64"));
    stream.close();
  });

  test("only what a person changed is applied, and a conflict names the other manager", async () => {
    await fixture.client.apply(Box, boxNamed("edited", { copies: 1, text: "a" }), { fieldManager: "owner" });
    const before = `apiVersion: ${Box.group}/${Box.version}\nkind: Box\nmetadata:\n  name: edited\n  namespace: default\nspec:\n  copies: 1\n  text: a\n`;
    const stream = await admitted();
    const edit = (id: number, after: string, force: boolean): void =>
      stream.send({ kind: "call", id, call: { call: "edit", before, after, force } });
    edit(1, before.replace("text: a", "text: b"), false);
    expect(await stream.find({ kind: "failure", id: 1 })).toMatchObject({
      failure: { reason: "Conflict", message: expect.stringContaining("owner") },
    });
    edit(2, before.replace("text: a", "text: b"), true);
    await stream.find({ kind: "answer", id: 2 });
    const { spec, metadata } = await fixture.client.get(Box, "edited", { namespace: "default" });
    expect(spec).toMatchObject({ copies: 1, text: "b" });
    const own = metadata.managedFields?.find(({ manager }) => manager === "kubewright-dashboard");
    expect(own?.fieldsV1).toEqual({ "f:spec": { "f:text": {} } });
    edit(3, before.replace("  copies: 1\n", ""), false);
    expect(await stream.find({ kind: "failure", id: 3 })).toMatchObject({
      failure: { message: expect.stringContaining("spec.copies cannot be removed here") },
    });
    stream.close();
  });

  test.each([
    [
      "an unknown resource",
      {
        kind: "subscribe",
        id: 9,
        topic: { topic: "table", resource: { group: "", version: "v1", plural: "../secrets" } },
      },
      /has no \.\.\/secrets/,
    ],
    [
      "a text that is no object",
      { kind: "call", id: 9, call: { call: "apply", yaml: "a: b", force: false } },
      /apiVersion and kind are missing/,
    ],
    [
      "a manager that is not there",
      {
        kind: "call",
        id: 9,
        call: { call: "pause-controller", manager: "x", controller: "y", paused: true },
      },
      /no manager "x"/,
    ],
  ])("%s is answered with a failure", async (_, message, text) => {
    const stream = await admitted();
    stream.send(message);
    const { failure } = await stream.find({ kind: "failure", id: 9 });
    expect((failure as { message: string }).message).toMatch(text);
    stream.close();
  });
});

test("kinds the client may not read are named with the reason, and the others are shown", async () => {
  const user = { name: "reader", groups: ["system:authenticated"] };
  const rules = [{ apiGroups: [Box.group], resources: [Box.plural], verbs: ["list", "watch"] }];
  await fixture.client.create(ClusterRole, { metadata: { name: "boxes" }, rules });
  await fixture.client.create(ClusterRoleBinding, {
    metadata: { name: "boxes" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "boxes" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
  });
  await fixture.client.create(Box, boxNamed("readable"));
  const updates: ObjectsUpdate[] = [];
  const feed = new ObjectFeed(fixture.cluster.connect({ user }), systemClock);
  feed.subscribe({ onObjects: (update) => updates.push(update), onKinds: () => undefined });
  feed.start();
  try {
    await vi.waitFor(
      () => {
        const names = updates.flatMap(({ changed }) => changed.map(({ name }) => name));
        expect(names).toContain("readable");
        expect(updates.at(-1)?.problems).toContainEqual({
          kind: "Secret",
          message: expect.stringContaining("forbidden"),
          reason: "forbidden",
        });
      },
      { timeout: 10_000 },
    );
    expect(updates.at(-1)?.problems.map(({ kind }) => kind)).not.toContain("Box");
  } finally {
    await feed.close();
  }
});
