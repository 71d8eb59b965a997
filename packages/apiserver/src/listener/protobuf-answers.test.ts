// Protobuf responses over a connection, which Go clients ask for by default.

import { admin } from "@kubewright/kinds";
import { decodeProtobuf } from "@kubewright/machinery";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiServer, createApiServer } from "../server.js";
import { TlsServer } from "./fixtures/tls-server.js";

const protobuf = "application/vnd.kubernetes.protobuf";
const asMetadata = "as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const asMetadataList = "as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const status = { group: "", version: "v1", kind: "Status" };

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "crontabs.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", kind: "CronTab" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

let api: ApiServer;
let server: TlsServer;

beforeAll(async () => {
  api = createApiServer();
  server = await TlsServer.start((request) => api.handle(request, { user: admin }));
  await create("/api/v1/namespaces", { metadata: { name: "shop" } });
  for (let index = 0; index < 150; index++)
    await create("/api/v1/namespaces/shop/configmaps", configMap(index));
  await create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
  await create("/apis/example.com/v1/namespaces/shop/crontabs", {
    apiVersion: "example.com/v1",
    kind: "CronTab",
    metadata: { name: "tab" },
  });
});
afterAll(async () => {
  await server.close();
  api.close();
});

const configMap = (index: number) => ({
  metadata: { name: `map-${index}` },
  data: { text: "ü".repeat(index) },
});

async function create(path: string, object: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await server.call(path, { method: "POST", headers, body: JSON.stringify(object) });
  if (answer.status !== 201) throw new Error(answer.body.toString());
}

/** Asks for an object and reads what comes. */
async function ask(path: string, accept: string) {
  const { status: code, headers, body } = await server.call(path, { headers: { accept } });
  const type = headers["content-type"];
  if (!type?.startsWith(protobuf)) return { code, type, value: JSON.parse(body.toString()) };
  return { code, type, value: decodeProtobuf(body, status).value };
}

const maps = "/api/v1/namespaces/shop/configmaps";
const tabs = "/apis/example.com/v1/namespaces/shop/crontabs";

describe("protobuf response", () => {
  test("contains an object of a built-in kind", async () => {
    const { code, type, value } = await ask(`${maps}/map-3`, protobuf);
    expect([code, type]).toEqual([200, protobuf]);
    expect(value).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { text: "üüü" } });
  });

  test.each([
    ["a short list", `${maps}?limit=3`, 3],
    ["a long one", maps, 150],
  ])("contains %s", async (_what, path, count) => {
    const { value } = await ask(path, protobuf);
    const expected = await ask(path, "application/json");
    expect(value).toMatchObject({ kind: "ConfigMapList", metadata: expected.value.metadata });
    const items = value["items"] as { metadata: object; data: object }[];
    expect(items).toHaveLength(count);
    expect(items.map(({ data }) => data)).toEqual(expected.value.items.map(({ data = {} }) => data));
    expect(items[2]?.metadata).toMatchObject(expected.value.items[2].metadata);
  });

  test.each([
    ["built-in", `${maps}/map-3`, "map-3"],
    ["custom", `${tabs}/tab`, "tab"],
  ])("contains the metadata of %s objects", async (_what, path, name) => {
    const { type, value } = await ask(path, `${protobuf};${asMetadata}`);
    expect(type).toBe(protobuf);
    expect(value).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name, namespace: "shop" },
    });
    expect(value).not.toHaveProperty("data");
  });

  test("contains the metadata of a list of custom objects", async () => {
    const { value } = await ask(tabs, `${protobuf};${asMetadataList}`);
    expect(value).toMatchObject({
      kind: "PartialObjectMetadataList",
      items: [{ metadata: { name: "tab", namespace: "shop" } }],
    });
  });

  test("contains failures", async () => {
    const { code, value } = await ask(`${maps}/none`, protobuf);
    expect(code).toBe(404);
    expect(value).toMatchObject({ kind: "Status", reason: "NotFound", details: { name: "none" }, code: 404 });
  });

  test("contains discovery", async () => {
    const apps = await ask("/apis/apps/v1", protobuf);
    expect(apps.value).toMatchObject({ kind: "APIResourceList", groupVersion: "apps/v1" });
    const list = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const all = await ask("/apis", `${protobuf};${list}`);
    expect(all.type).toBe(`${protobuf};${list}`);
    expect(all.value).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
  });

  test("is not available for custom objects: clients that accept JSON too get that", async () => {
    const refused = await ask(`${tabs}/tab`, protobuf);
    expect([refused.code, refused.type]).toEqual([406, protobuf]);
    expect(refused.value).toMatchObject({ kind: "Status", reason: "NotAcceptable" });
    const { type, value } = await ask(`${tabs}/tab`, `${protobuf},application/json`);
    expect(type).toBe("application/json");
    expect(value).toMatchObject({ kind: "CronTab" });
  });

  test("is not available for tables", async () => {
    const asTable = "as=Table;g=meta.k8s.io;v=v1";
    const { type, value } = await ask(maps, `${protobuf};${asTable},application/json;${asTable}`);
    expect([type, value.kind]).toEqual(["application/json", "Table"]);
  });
});

/** Reads the frames of a watch: four bytes with the length, and an event. */
async function frames(path: string, accept: string, count: number): Promise<unknown[]> {
  const answer = await server.open(path, { headers: { accept } });
  expect(answer.headers["content-type"]).toBe(`${protobuf};stream=watch`);
  let bytes = Buffer.alloc(0);
  const events: unknown[] = [];
  for await (const chunk of answer) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32BE()) {
      const end = 4 + bytes.readUInt32BE();
      events.push(decodeEvent(bytes.subarray(4, end)));
      bytes = bytes.subarray(end);
    }
    if (events.length >= count) break;
  }
  return events;
}

/** `WatchEvent`: the type in field 1, in field 2 a message whose field 1 is the object in its envelope. */
function decodeEvent(bytes: Buffer): unknown {
  const typeLength = bytes[1] ?? 0;
  const type = bytes.subarray(2, 2 + typeLength).toString();
  const object = decodeProtobuf(bytes.subarray(bytes.indexOf("k8s\0")), status).value;
  return { type, object };
}

describe("protobuf watch", () => {
  test("sends events in frames", async () => {
    const path = `${maps}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name=map-140`;
    expect(await frames(path, protobuf, 2)).toMatchObject([
      { type: "ADDED", object: { kind: "ConfigMap", data: { text: "ü".repeat(140) } } },
      { type: "BOOKMARK", object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } } },
    ]);
  });

  test("sends the metadata of custom objects", async () => {
    const events = await frames(`${tabs}?watch=1`, `${protobuf};${asMetadata}`, 1);
    expect(events).toMatchObject([
      { type: "ADDED", object: { kind: "PartialObjectMetadata", metadata: { name: "tab" } } },
    ]);
  });

  test("ends with a failure where the resource version is too new", async () => {
    const path = `${maps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999999`;
    expect(await frames(path, protobuf, 1)).toMatchObject([
      { type: "ERROR", object: { kind: "Status", reason: "Timeout" } },
    ]);
  });
});
