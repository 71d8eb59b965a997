// Several versions of one kind that differ in name alone, and objects that are older than the schema they are read with.
import { describe, expect, it } from "vitest";
import {
  definition,
  definitionServer,
  definitionsPath,
  schemaOf,
  version,
  widget,
  widgetsPath,
} from "./definition-server.js";

const v1 = "example.com/v1";
const v2 = "example.com/v2";
const path = `${definitionsPath}/widgets.example.com`;
const string = { type: "string" };

const twoVersions = (one: object = {}, two: object = {}) =>
  definition({ versions: [version("v1", { storage: false, ...one }), version("v2", two)] });

describe("an object served in two versions", () => {
  it("is one object, whichever version it is written and read in", async () => {
    const { call, define } = definitionServer();
    await define(twoVersions());
    const created = await call("POST", widgetsPath(v1), widget("w", { a: 1 }, v1));
    expect(created.body).toMatchObject({ apiVersion: v1, spec: { a: 1 } });
    const other = await call("GET", `${widgetsPath(v2)}/w`);
    expect(other.body).toMatchObject({ apiVersion: v2, spec: { a: 1 } });
    expect(other.body.metadata).toEqual(created.body.metadata);
    const { body } = await call("PUT", `${widgetsPath(v2)}/w`, { ...other.body, spec: { a: 2 } });
    expect(body).toMatchObject({ apiVersion: v2, spec: { a: 2 }, metadata: { generation: 2 } });
    expect((await call("GET", `${widgetsPath(v1)}/w`)).body).toMatchObject({
      apiVersion: v1,
      spec: { a: 2 },
    });
    const list = await call("GET", widgetsPath(v1));
    expect(list.body).toMatchObject({ apiVersion: v1, items: [{ apiVersion: v1, spec: { a: 2 } }] });
  });

  it("cannot be sent in another version than that of the path", async () => {
    const { call, define } = definitionServer();
    await define(twoVersions());
    const { status, body } = await call("POST", widgetsPath(v1), widget("w", {}, v2));
    expect(status).toBe(400);
    expect(body.message).toBe(
      "the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)",
    );
  });

  it("is watched in the version asked for", async () => {
    const { call, patch, define, watch } = definitionServer();
    await define(twoVersions());
    await call("POST", widgetsPath(v2), widget("w", { a: 1 }, v2));
    const { next } = await watch(widgetsPath(v1));
    expect(await next()).toMatchObject({ type: "ADDED", object: { apiVersion: v1, spec: { a: 1 } } });
    await patch(`${widgetsPath(v2)}/w`, { spec: { a: 2 } });
    expect(await next()).toMatchObject({ type: "MODIFIED", object: { apiVersion: v1, spec: { a: 2 } } });
    const deleted = await call("DELETE", `${widgetsPath(v1)}/w`);
    expect(deleted.body).toMatchObject({ status: "Success" });
    const event = await next();
    expect(event).toMatchObject({ type: "DELETED", object: { apiVersion: v1, spec: { a: 2 } } });
    const { body } = await call("GET", widgetsPath(v1));
    expect(event?.object.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  it("answers a deletion that must wait in the version it was asked in", async () => {
    const { call, define } = definitionServer();
    await define(twoVersions());
    await call("POST", widgetsPath(v1), widget("w", {}, v1, { finalizers: ["a.example.com/b"] }));
    const { body } = await call("DELETE", `${widgetsPath(v1)}/w`);
    expect(body).toMatchObject({ apiVersion: v1, metadata: { deletionTimestamp: expect.anything() } });
    const all = await call("DELETE", widgetsPath(v2));
    expect(all.body).toMatchObject({ kind: "WidgetList", items: [{ apiVersion: v2 }] });
  });

  it("has owners in the versions they wrote in", async () => {
    const { call, patch, define } = definitionServer();
    await define(twoVersions(schemaOf({ a: string, b: string }), schemaOf({ a: string, b: string })));
    const apply = (apiVersion: string, manager: string, spec: object, force = "false") =>
      patch(`${widgetsPath(apiVersion)}/w`, widget("w", spec, apiVersion), {
        type: "apply-patch+yaml",
        query: { fieldManager: manager, force },
      });
    await apply(v1, "one", { a: "1" });
    await apply(v2, "two", { b: "2" });
    const conflict = await apply(v2, "two", { a: "x", b: "2" });
    expect(conflict.status).toBe(409);
    expect(conflict.body.message).toContain('conflict with "one": .spec.a');
    const { body } = await apply(v2, "two", { a: "x", b: "2" }, "true");
    const owners = body.metadata.managedFields.map((entry: { manager: string; apiVersion: string }) => [
      entry.manager,
      entry.apiVersion,
    ]);
    expect(owners).toEqual([["two", v2]]);
    const updated = await call("PUT", `${widgetsPath(v1)}/w`, {
      ...(await call("GET", `${widgetsPath(v1)}/w`)).body,
      spec: { a: "y", b: "2" },
    });
    expect(updated.body.metadata.managedFields).toMatchObject([
      { manager: "two", operation: "Apply", apiVersion: v2, fieldsV1: { "f:spec": { "f:b": {} } } },
      { manager: "test", operation: "Update", apiVersion: v1, fieldsV1: { "f:spec": { "f:a": {} } } },
    ]);
    expect((await call("GET", `${widgetsPath(v2)}/w`)).body.spec).toEqual({ a: "y", b: "2" });
  });

  it("loses what the stored version does not know", async () => {
    const { call, define } = definitionServer();
    await define(twoVersions(schemaOf({ a: string, old: string }), schemaOf({ a: string })));
    const { body } = await call("POST", widgetsPath(v1), widget("w", { a: "1", old: "x" }, v1));
    expect(body.spec).toEqual({ a: "1" });
  });

  it("has the defaults of the version it came in and of the one it is stored in", async () => {
    const { call, define } = definitionServer();
    const one = schemaOf({ a: { type: "string", default: "one" }, b: string, c: string });
    const two = schemaOf({
      a: string,
      b: { type: "string", default: "two" },
      c: { type: "string", default: "c" },
    });
    await define(twoVersions(one, two));
    const created = await call("POST", widgetsPath(v1), widget("w", { c: "mine" }, v1));
    expect(created.body.spec).toEqual({ a: "one", b: "two", c: "mine" });
  });

  it("is stored anew, in today's version, by a write that changes nothing else", async () => {
    const { call, define } = definitionServer();
    await define(definition());
    const created = await call("POST", widgetsPath(v1), widget("w"));
    await define(twoVersions());
    const present = await call("GET", `${widgetsPath(v1)}/w`);
    expect(present.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
    const migrated = await call("PUT", `${widgetsPath(v1)}/w`, present.body);
    expect(migrated.body.metadata.resourceVersion).not.toBe(created.body.metadata.resourceVersion);
    expect(migrated.body.metadata.generation).toBe(1);
    const again = await call("PUT", `${widgetsPath(v1)}/w`, migrated.body);
    expect(again.body.metadata.resourceVersion).toBe(migrated.body.metadata.resourceVersion);
  });

  it.each([
    [
      "in its own words",
      { deprecated: true, deprecationWarning: "v1 is going; hurry" },
      "v1 is going; hurry",
    ],
    ["and what to use instead", { deprecated: true }, `${v1} Widget is deprecated; use ${v2} Widget`],
  ])("warns of a deprecated version %s", async (_name, options, text) => {
    const { call, define, watch } = definitionServer();
    await define(twoVersions(options));
    expect((await call("GET", widgetsPath(v1))).warnings).toEqual([`299 - "${text}"`]);
    expect((await call("POST", widgetsPath(v1), widget("w"))).warnings).toEqual([`299 - "${text}"`]);
    expect((await watch(widgetsPath(v1))).headers["warning"]).toEqual([`299 - "${text}"`]);
    expect((await call("GET", widgetsPath(v2))).warnings).toEqual([]);
  });
});

describe("an object older than its schema", () => {
  it("shows defaults that came later, though it is not rewritten", async () => {
    const { call, define } = definitionServer();
    await define(definition({ versions: [version("v1", schemaOf({ a: string }))] }));
    const created = await call("POST", widgetsPath(), widget("w", { a: "1" }));
    const b = { type: "string", default: "later" };
    await define(definition({ versions: [version("v1", schemaOf({ a: string, b }))] }));
    const read = await call("GET", `${widgetsPath()}/w`);
    expect(read.body).toMatchObject({ spec: { a: "1", b: "later" } });
    expect(read.body.metadata).toEqual(created.body.metadata);
    expect((await call("GET", widgetsPath())).body.items[0].spec).toEqual({ a: "1", b: "later" });
  });

  it("hides fields that are gone, and brings them back with the schema", async () => {
    const { call, define } = definitionServer();
    await define(definition({ versions: [version("v1", schemaOf({ a: string, b: string }))] }));
    await call("POST", widgetsPath(), widget("w", { a: "1", b: "2" }));
    await define(definition({ versions: [version("v1", schemaOf({ a: string }))] }));
    expect((await call("GET", `${widgetsPath()}/w`)).body.spec).toEqual({ a: "1" });
    await define(definition({ versions: [version("v1", schemaOf({ a: string, b: string }))] }));
    expect((await call("GET", `${widgetsPath()}/w`)).body.spec).toEqual({ a: "1", b: "2" });
  });

  it("keeps what a write under the narrower schema left", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition({ versions: [version("v1", schemaOf({ a: string, b: string }))] }));
    await call("POST", widgetsPath(), widget("w", { a: "1", b: "2" }));
    await define(definition({ versions: [version("v1", schemaOf({ a: string }))] }));
    const { body } = await patch(`${widgetsPath()}/w`, { metadata: { labels: { x: "y" } } });
    expect(body.metadata.generation).toBe(1);
    await define(definition({ versions: [version("v1", schemaOf({ a: string, b: string }))] }));
    expect((await call("GET", `${widgetsPath()}/w`)).body.spec).toEqual({ a: "1" });
  });

  it("is selected by what it shows", async () => {
    const { call, define, watch } = definitionServer();
    await define(definition({ versions: [version("v1", schemaOf({ a: string }))] }));
    await call("POST", widgetsPath(), widget("w"));
    const color = { type: "string", default: "blue" };
    const selectable = { selectableFields: [{ jsonPath: ".spec.color" }] };
    await define(definition({ versions: [version("v1", { ...schemaOf({ color }), ...selectable })] }));
    const query = { fieldSelector: "spec.color=blue" };
    expect((await call("GET", widgetsPath(), undefined, { query })).body.items).toHaveLength(1);
    const { next } = await watch(widgetsPath(), query);
    expect((await next())?.object.spec).toEqual({ color: "blue" });
  });

  it("written by a request that began before the schema changed is read by the new one", async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = {
      name: "Slow",
      async validate({ kind }: { kind: { plural: string } }) {
        if (kind.plural === "widgets") await gate;
      },
    };
    const { call, define } = definitionServer({ admission: [slow] });
    await define(definition({ versions: [version("v1", schemaOf({ a: string }))] }));
    const writing = call("POST", widgetsPath(), widget("w", { a: "1" }));
    const b = { type: "string", default: "new" };
    await define(definition({ versions: [version("v1", schemaOf({ b }))] }));
    release();
    expect((await writing).body.spec).toEqual({ a: "1" });
    expect((await call("GET", `${widgetsPath()}/w`)).body.spec).toEqual({ b: "new" });
  });

  it("in a version that was dropped by force cannot be read", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition());
    await call("POST", widgetsPath(), widget("w"));
    await define(twoVersions());
    await patch(`${path}/status`, { status: { storedVersions: ["v2"] } });
    await define(definition({ versions: [version("v2")] }));
    const { status, body } = await call("GET", `${widgetsPath(v2)}/w`);
    expect(status).toBe(500);
    expect(body.message).toBe("request to convert CR from an invalid group/version: example.com/v1");
  });
});
