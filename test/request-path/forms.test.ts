// What answers look like: failures in the encoding asked for, and metadata in place of objects.
import { beforeAll, describe, expect, it } from "vitest";
import { cronTabs, defineCronTabs } from "./cron-tabs.js";
import { type Answer, configMap, configMaps, requestServer } from "./request-server.js";

const meta = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });
let call: Awaited<ReturnType<typeof requestServer>>["call"];
let read: (url: string, headers?: Record<string, string>) => Promise<Answer>;

beforeAll(async () => {
  const server = await requestServer();
  call = server.call;
  read = (url, headers = {}) => call("GET", url, undefined, headers);
  await defineCronTabs(server);
  await call("POST", configMaps, configMap({ name: "a" }));
});

describe("a failure", () => {
  it("is YAML for clients that accept YAML", async () => {
    const { status, headers, body } = await read(`${configMaps}/none`, { accept: "application/yaml" });
    expect([status, headers["content-type"]]).toEqual([404, "application/yaml"]);
    expect(body).toContain('message: configmaps "none" not found\n');
    expect(body).toContain("kind: Status\n");
  });

  it("is indented for people", async () => {
    for (const [query, agent] of [
      ["?pretty=true", "test/1"],
      ["", "curl/8"],
    ] as const) {
      const { text } = await read(`${configMaps}/none${query}`, { "user-agent": agent });
      expect(text).toContain('\n  "reason": "NotFound",\n');
    }
  });

  it("is JSON for clients that accept none of it", async () => {
    const { status, headers, body } = await read(`${configMaps}/none`, meta("Table"));
    expect([status, headers["content-type"], body.kind]).toEqual([404, "application/json", "Status"]);
  });
});

describe("metadata in place of objects", () => {
  it.each([
    [
      "a list as one",
      configMaps,
      "PartialObjectMetadata",
      406,
      "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
    ],
    [
      "one as a list",
      `${configMaps}/a`,
      "PartialObjectMetadataList",
      406,
      "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)",
    ],
    [
      "a custom list as one",
      cronTabs,
      "PartialObjectMetadata",
      406,
      "you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)",
    ],
  ])("cannot be %s", async (_what, url, kind, status, message) => {
    const { body } = await read(url, meta(kind));
    expect([body.code, body.message]).toEqual([status, message]);
  });

  it("asked for with a bad includeObject does not matter; a table does, in a watch too", async () => {
    const url = `${configMaps}?includeObject=Some`;
    expect((await read(url, meta("PartialObjectMetadataList"))).status).toBe(200);
    for (const how of ["", "&watch=1"]) {
      const { body } = await read(`${url}${how}`, meta("Table"));
      expect([body.code, body.message]).toEqual([
        400,
        `Unable to convert to Table as requested: includeObject: Invalid value: "Some": must be 'Metadata', 'Object', 'None', or empty`,
      ]);
    }
  });
});
