import { describe, expect, it } from "vitest";
import { causes, configMap, configMaps, requestServer, said } from "./request-server.js";

const leases = "/apis/coordination.k8s.io/v1/namespaces/test/leases";

/** A server with a ConfigMap `a`. */
async function withConfigMap() {
  const server = await requestServer();
  const { body } = await server.call("POST", configMaps, configMap({ name: "a" }, { data: { k: "v" } }));
  const put = (metadata: object, rest: object = { data: { k: "w" } }) =>
    server.call("PUT", `${configMaps}/a`, configMap({ name: "a", ...metadata }, rest));
  return { ...server, put, metadata: body.metadata };
}

describe("a PUT", () => {
  it.each([
    ["another namespace", { namespace: "other" }, /^400 the namespace of the provided object does not match/],
    ["another namespace and name", { namespace: "other", name: "b" }, /^400 the namespace of the provided/],
    [
      "another name",
      { name: "b" },
      /^400 the name of the object \(b\) does not match the name on the URL \(a\)$/,
    ],
    ["no name", { name: "" }, /^400 the name of the object \(a based on URL\) was undeterminable: name must/],
  ])("of %s is refused, whether or not the object is there", async (_, metadata, expected) => {
    const { put, call } = await withConfigMap();
    expect(said(await put(metadata))).toMatch(expected);
    await call("DELETE", `${configMaps}/a`);
    expect(said(await put(metadata))).toMatch(expected);
  });

  it.each([
    ["", 200],
    ["0", 200],
    ["1", 409],
    ["abc", 500],
    ["99999999999999999999", 500],
    ["18446744073709551615", 409],
  ])("based on version %j: %i", async (resourceVersion, status) => {
    const { put } = await withConfigMap();
    expect((await put({ resourceVersion })).status).toBe(status);
  });

  it("may name the current version as numbers may be written", async () => {
    const { put, metadata } = await withConfigMap();
    const { status, body } = await put({ resourceVersion: `0${metadata.resourceVersion}` });
    expect(status).toBe(200);
    expect(body.metadata.resourceVersion).toMatch(/^[1-9]/);
  });

  it("says what is wrong with a version that is no number", async () => {
    const { put } = await withConfigMap();
    expect(said(await put({ resourceVersion: "99999999999999999999" }))).toBe(
      '500 strconv.ParseUint: parsing "99999999999999999999": value out of range',
    );
  });

  it("that changes nothing keeps the version", async () => {
    const { put, metadata } = await withConfigMap();
    const same = await put(
      { creationTimestamp: "2001-01-01T00:00:00Z", generation: 9, selfLink: "/x" },
      { data: { k: "v" } },
    );
    expect(same.body.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it.each([
    [{ deletionTimestamp: "2020-01-01T00:00:00Z" }, "metadata.deletionTimestamp"],
    [{ deletionGracePeriodSeconds: 3 }, "metadata.deletionGracePeriodSeconds"],
  ])("cannot begin a deletion: %j", async (metadata, field) => {
    const { put } = await withConfigMap();
    const [first = "", second] = causes(await put(metadata));
    expect(first).toMatch(`${field}: Invalid value: `);
    expect(second).toBe(first);
  });

  it("cannot change when a deletion began, and keeps that to itself", async () => {
    const { put, call } = await withConfigMap();
    await put({ finalizers: ["example.com/a"] });
    const { body } = await call("DELETE", `${configMaps}/a`);
    const { deletionTimestamp } = body.metadata;
    const changed = await put(
      { finalizers: ["example.com/a"], deletionTimestamp: "2001-01-01T00:00:00Z" },
      {},
    );
    expect([changed.status, changed.body.metadata.deletionTimestamp]).toEqual([200, deletionTimestamp]);
    const grace = await put({ finalizers: ["example.com/a"], deletionGracePeriodSeconds: 7 }, {});
    expect(grace.status).toBe(422);
  });

  it("checks the prefix of a generated name as the kind does", async () => {
    const { put } = await withConfigMap();
    expect(causes(await put({ generateName: "Bad_" }))).toEqual([
      expect.stringMatching(/^metadata.generateName: Invalid value: "Bad_": a lowercase RFC 1123 subdomain/),
    ]);
    expect((await put({ generateName: "good-" })).status).toBe(200);
  });

  it("of another uid is about another object", async () => {
    const { put, metadata } = await withConfigMap();
    expect(said(await put({ uid: "x" }))).toBe(
      `409 Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/test/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ${metadata.uid}`,
    );
  });
});

describe("a PUT of what is not there", () => {
  it("is refused for most kinds, whatever uid it has", async () => {
    const { call } = await requestServer();
    const answer = await call("PUT", `${configMaps}/none`, configMap({ name: "none", uid: "x" }));
    expect(said(answer)).toBe('404 configmaps "none" not found');
  });

  it("creates leases, unless a uid says that it was there", async () => {
    const { call } = await requestServer();
    const lease = (metadata: object) =>
      call("PUT", `${leases}/a`, { metadata: { name: "a", ...metadata }, spec: {} });
    expect(said(await lease({ uid: "x" }))).toBe(
      '409 Operation cannot be fulfilled on leases.coordination.k8s.io "a": StorageError: invalid object, Code: 4, Key: /registry/leases/test/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ',
    );
    expect((await lease({ resourceVersion: "7" })).status).toBe(201);
    expect(causes(await lease({ resourceVersion: "0" }))).toEqual([
      "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
    ]);
  });
});
