// What objects of a custom kind are held to, besides their schema.
import { describe, expect, it } from "vitest";
import { definition, definitionServer, schemaOf, version, widget, widgetsPath } from "./definition-server.js";

const path = `${widgetsPath()}/w`;
const integer = { type: "integer" };

const scalable = version("v1", {
  subresources: {
    status: {},
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
  },
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: { type: "object", properties: { replicas: integer, other: { type: "string" } } },
        status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
});

describe("the scale of a custom resource", () => {
  const scale = (replicas: number, metadata: object = {}) => ({
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "w", namespace: "default", ...metadata },
    spec: { replicas },
  });

  it("shows and sets what its paths lead to", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition({ versions: [scalable] }));
    await call("POST", widgetsPath(), widget("w", { replicas: 2 }));
    await patch(`${path}/status`, { status: { replicas: 1, selector: "app=w" } });
    const { body } = await call("GET", `${path}/scale`);
    expect(body).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 1, selector: "app=w" } });
    const scaled = await call("PUT", `${path}/scale`, scale(5));
    expect(scaled.body).toMatchObject({ kind: "Scale", spec: { replicas: 5 } });
    expect((await call("GET", path)).body).toMatchObject({
      spec: { replicas: 5 },
      metadata: { generation: 2 },
    });
    const stale = await call(
      "PUT",
      `${path}/scale`,
      scale(6, { resourceVersion: body.metadata.resourceVersion }),
    );
    expect(stale.status).toBe(409);
  });

  it("belongs to the field manager that set it", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition({ versions: [scalable] }));
    const apply = { type: "apply-patch+yaml", query: { fieldManager: "author" } };
    await patch(path, widget("w", { replicas: 2, other: "x" }), apply);
    await call("PUT", `${path}/scale`, scale(5), { query: { fieldManager: "scaler" } });
    const { body } = await call("GET", path);
    expect(body.metadata.managedFields).toMatchObject([
      { manager: "author", fieldsV1: { "f:spec": { "f:other": {} } } },
      { manager: "scaler", subresource: "scale", fieldsV1: { "f:spec": { "f:replicas": {} } } },
    ]);
    const again = await patch(path, widget("w", { replicas: 2, other: "x" }), apply);
    expect(again.body.message).toContain('conflict with "scaler" with subresource "scale"');
  });

  it.each([
    [
      "a number below zero",
      { replicas: -1 },
      [".spec.replicas: Invalid value: -1: should be a non-negative integer"],
    ],
    [
      "a number beyond 32 bits",
      { replicas: 2 ** 31 },
      [".spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647"],
    ],
  ])("cannot be %s", async (_name, spec, causes) => {
    const { call, define } = definitionServer();
    await define(definition({ versions: [scalable] }));
    const { status, body } = await call("POST", widgetsPath(), widget("w", spec));
    expect(status).toBe(422);
    expect(
      body.details.causes.map(
        (cause: { field: string; message: string }) => `${cause.field}: ${cause.message}`,
      ),
    ).toEqual(causes);
  });

  it("cannot be applied, as on a real server, though an apply that changes nothing passes", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition({ versions: [scalable] }));
    await call("POST", widgetsPath(), widget("w", { replicas: 2 }));
    const apply = (replicas: number, force: string) =>
      patch(`${path}/scale`, scale(replicas), {
        type: "apply-patch+yaml",
        query: { fieldManager: "hpa", force },
      });
    expect((await apply(3, "false")).status).toBe(409);
    const refused = await apply(3, "true");
    expect(refused.status).toBe(500);
    expect(refused.body.message).toBe(
      "failed to convert new object (default/w; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1",
    );
  });
});

describe("requests to custom resources", () => {
  it.each([
    ["a subresource there is not", "GET", `${path}/scale`, 404, 'widgets.example.com "w" not found'],
    ["a subresource nobody has", "GET", `${path}/proxy`, 404, 'widgets.example.com "w" not found'],
    [
      "a verb a subresource lacks",
      "DELETE",
      `${path}/status`,
      405,
      'delete is not supported on resources of kind "widgets.example.com"',
    ],
  ])("are told about %s", async (_name, method, at, status, message) => {
    const { call, define } = definitionServer();
    await define(definition({ versions: [version("v1", { subresources: { status: {} } })] }));
    const answer = await call(method, at);
    expect([answer.status, answer.body?.message]).toEqual([status, message]);
  });

  it.each([
    ["no namespace where there must be one", "Namespaced", "GET", "/apis/example.com/v1/widgets/w"],
    ["a namespace where there is none", "Cluster", "GET", widgetsPath()],
    ["a version that is not served", "Namespaced", "GET", "/apis/example.com/v2/widgets"],
    ["a resource of the group that is none", "Namespaced", "GET", "/apis/example.com/v1/gadgets"],
  ])("with %s lead nowhere", async (_name, scope, method, at) => {
    const { call, define } = definitionServer();
    await define(definition({ scope }));
    const { status, headers } = await call(method, at);
    expect([status, headers["content-type"]]).toEqual([404, "text/plain; charset=utf-8"]);
  });
});

describe("status as a subresource", () => {
  it("is judged alone, while rules see the whole object", async () => {
    const { call, patch, define } = definitionServer();
    const validations = [{ rule: "!has(self.status) || self.status.done <= self.spec.total" }];
    const schema = {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: { type: "object", properties: { total: integer } },
          status: { type: "object", properties: { done: integer } },
        },
        "x-kubernetes-validations": validations,
      },
    };
    await define(definition({ versions: [version("v1", { subresources: { status: {} }, schema })] }));
    const created = await call("POST", widgetsPath(), { ...widget("w", { total: 2 }), status: { done: 99 } });
    expect(created.body.status).toBeUndefined();
    expect((await patch(`${path}/status`, { status: { done: 1 }, spec: { total: 9 } })).body).toMatchObject({
      spec: { total: 2 },
      status: { done: 1 },
      metadata: { generation: 1 },
    });
    const broken = await patch(`${path}/status`, { status: { done: 3 } });
    expect(broken.body.message).toContain("failed rule: !has(self.status)");
  });

  it("leaves everything else alone, even fields beside spec", async () => {
    const { call, patch, define } = definitionServer();
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await define(definition({ versions: [version("v1", { subresources: { status: {} }, schema })] }));
    await call("POST", widgetsPath(), { ...widget("w"), data: { a: 1 } });
    const { body } = await patch(`${path}/status`, {
      metadata: { labels: { no: "label" }, annotations: { no: "note" } },
      data: { a: 2 },
      more: 1,
      status: { ok: true },
    });
    expect(body).toMatchObject({ data: { a: 1 }, status: { ok: true } });
    expect(body.more).toBeUndefined();
    expect(body.metadata.labels).toBeUndefined();
    expect(body.metadata.annotations).toBeUndefined();
  });

  it("is the author's where it is none", async () => {
    const { call, define } = definitionServer();
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await define(definition({ versions: [version("v1", { schema })] }));
    const { body } = await call("POST", widgetsPath(), { ...widget("w"), status: { ok: true } });
    expect(body.status).toEqual({ ok: true });
    const changed = await call("PUT", path, { ...body, status: { ok: false } });
    expect(changed.body).toMatchObject({ status: { ok: false }, metadata: { generation: 2 } });
  });
});

describe("fields to select by", () => {
  const selectable = version("v1", {
    ...schemaOf({ color: { type: "string" }, size: integer, on: { type: "boolean" } }),
    selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.size" }, { jsonPath: ".spec.on" }],
  });

  it.each([
    ["spec.color=blue", ["a"]],
    ["spec.color!=blue", ["b", "c"]],
    ["spec.size=2,spec.on=true", ["b"]],
    ["spec.color=", ["c"]],
    ["metadata.name=a", ["a"]],
  ])("%s", async (fieldSelector, names) => {
    const { call, define } = definitionServer();
    await define(definition({ versions: [selectable] }));
    await call("POST", widgetsPath(), widget("a", { color: "blue", size: 1 }));
    await call("POST", widgetsPath(), widget("b", { color: "red", size: 2, on: true }));
    await call("POST", widgetsPath(), widget("c", { size: 2, on: false }));
    const { body } = await call("GET", widgetsPath(), undefined, { query: { fieldSelector } });
    expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(names);
  });

  it("are only those the definition lists", async () => {
    const { call, define } = definitionServer();
    await define(definition({ versions: [selectable] }));
    const query = { fieldSelector: "spec.other=x" };
    const { status, body } = await call("GET", widgetsPath(), undefined, { query });
    expect(status).toBe(400);
    expect(body.message).toContain("field label not supported: spec.other");
  });

  it("make watches see objects come and go", async () => {
    const { call, patch, define, watch } = definitionServer();
    await define(definition({ versions: [selectable] }));
    const { next } = await watch(widgetsPath(), { fieldSelector: "spec.color=blue" });
    await call("POST", widgetsPath(), widget("w", { color: "red" }));
    await patch(path, { spec: { color: "blue" } });
    await patch(path, { spec: { color: "green" } });
    expect(await next()).toMatchObject({ type: "ADDED", object: { spec: { color: "blue" } } });
    expect(await next()).toMatchObject({ type: "DELETED", object: { spec: { color: "blue" } } });
  });
});

describe("warnings", () => {
  it("come for rules that an update breaks but did not touch", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition({ versions: [version("v1", schemaOf({ n: integer, m: integer }))] }));
    await call("POST", widgetsPath(), widget("w", { n: 1 }));
    const n = { type: "integer", "x-kubernetes-validations": [{ rule: "self > 5", message: "must be big" }] };
    await define(definition({ versions: [version("v1", schemaOf({ n, m: integer }))] }));
    const { status, warnings } = await patch(path, { spec: { m: 1 } });
    expect([status, warnings]).toEqual([200, ['299 - "spec.n: Invalid value: 1: must be big"']]);
  });

  it("come for finalizers that could be anyone's", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition());
    const finalizers = ["mine", "orphan", "a.example.com/b"];
    const { warnings } = await call("POST", widgetsPath(), widget("w", {}, undefined, { finalizers }));
    expect(warnings).toEqual([
      expect.stringContaining('metadata.finalizers: \\"mine\\": prefer a domain-qualified'),
    ]);
    expect((await patch(path, { metadata: { labels: { a: "b" } } })).warnings).toEqual([]);
  });
});

describe("writes the real server has its own way with", () => {
  it("are refused when they say another kind", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition());
    const { status, body } = await call("POST", widgetsPath(), { ...widget("w"), kind: "Gadget" });
    expect([status, body.message, body.details.kind]).toEqual([
      422,
      'Gadget.example.com "w" is invalid: kind: Invalid value: "Gadget": must be Widget',
      "Gadget",
    ]);
    await call("POST", widgetsPath(), widget("w"));
    expect((await patch(path, { kind: "Gadget" })).body.message).toContain("must be Widget");
  });

  it("need a name in the path to change something, and none to create it", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition());
    const unnamed = await call("PUT", widgetsPath(), widget("w"));
    expect([unnamed.status, unnamed.body.message]).toEqual([400, "name must be provided"]);
    expect((await patch(widgetsPath(), {})).status).toBe(400);
    const created = await call("POST", `${widgetsPath()}/other`, widget("w"));
    expect([created.status, created.body.metadata.name]).toEqual([201, "w"]);
  });

  it("know no strategic merge, not even of scale", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition({ versions: [scalable] }));
    await call("POST", widgetsPath(), widget("w", { replicas: 1 }));
    for (const at of [path, `${path}/scale`])
      expect(
        (await patch(at, { spec: { replicas: 2 } }, { type: "strategic-merge-patch+json" })).status,
      ).toBe(415);
  });

  it("can set replicas that were not there, and must", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition({ versions: [scalable] }));
    await call("POST", widgetsPath(), widget("w"));
    const empty = await patch(`${path}/scale`, { metadata: { labels: { a: "b" } } });
    expect([empty.status, empty.body.message]).toEqual([
      400,
      'the spec replicas field ".spec.replicas" cannot be empty',
    ]);
    expect((await patch(`${path}/scale`, { spec: { replicas: 3 } })).body.spec).toEqual({ replicas: 3 });
  });
});
