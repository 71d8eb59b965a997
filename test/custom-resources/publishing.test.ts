// What clients can find out about custom kinds: discovery and OpenAPI, which follow every change.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { definition, definitionServer, definitionsPath, version } from "./definition-server.js";

const aggregated = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };

describe("discovery", () => {
  it("changes its ETag when resources do, and answers 304 until then", async () => {
    const { call, define } = definitionServer();
    const first = await call("GET", "/apis", undefined, { headers: aggregated });
    const etag = String(first.headers["etag"]);
    const again = await call("GET", "/apis", undefined, {
      headers: { ...aggregated, "if-none-match": etag },
    });
    expect([again.status, again.body, again.headers["etag"]]).toEqual([304, undefined, etag]);
    await define(definition());
    const changed = await call("GET", "/apis", undefined, {
      headers: { ...aggregated, "if-none-match": etag },
    });
    expect(changed.status).toBe(200);
    expect(changed.headers["etag"]).not.toBe(etag);
  });

  it("puts built-in groups first, custom ones by name, and the version to prefer first", async () => {
    const { call, define } = definitionServer();
    const names = { plural: "widgets", kind: "Widget" };
    await define(definition({ group: "z.example.com", names }));
    const versions = ["v1alpha1", "v2", "v1", "foo", "v10", "v1beta2"].map((name) =>
      version(name, { storage: name === "v1" }),
    );
    await define(definition({ group: "a.example.com", names, versions }));
    const { body } = await call("GET", "/apis");
    const groups = body.groups.map(({ name }: { name: string }) => name);
    expect(groups.slice(-2)).toEqual(["a.example.com", "z.example.com"]);
    expect(groups[0]).toBe("apiregistration.k8s.io");
    const group = await call("GET", "/apis/a.example.com");
    expect(group.body.versions.map((one: { version: string }) => one.version)).toEqual([
      "v10",
      "v2",
      "v1",
      "v1beta2",
      "v1alpha1",
      "foo",
    ]);
    expect(group.body.preferredVersion.version).toBe("v10");
  });

  it("says by a hash which version objects are stored in", async () => {
    const { call, define } = definitionServer();
    const versions = [version("v1", { storage: false }), version("v2")];
    await define(definition({ versions }));
    const [resource] = (await call("GET", "/apis/example.com/v1")).body.resources;
    const digest = createHash("sha256").update("example.com/v2/Widget").digest();
    expect(resource.storageVersionHash).toBe(digest.subarray(0, 8).toString("base64"));
    const pods = (await call("GET", "/api/v1")).body.resources.find(
      (one: { name: string }) => one.name === "pods",
    );
    expect(pods.storageVersionHash).toBe("xPOwRZ+Yhw8=");
    for (const served of ["v1", "v2"]) {
      const { body } = await call("GET", `/apis/autoscaling/${served}`);
      expect(body.resources[0].storageVersionHash).toBe("qwQve8ut294=");
    }
  });

  it("shows accepted names, not those asked for", async () => {
    const { call, patch, define, until, conditionOf } = definitionServer();
    await define(definition({ names: { plural: "gadgets", kind: "Gadget", shortNames: ["g"] } }));
    await define(definition());
    const path = `${definitionsPath}/widgets.example.com`;
    await patch(path, { spec: { names: { shortNames: ["g"] } } });
    await until(path, (found) => conditionOf(found, "NamesAccepted")?.status === "False");
    const { body } = await call("GET", "/apis/example.com/v1");
    const widgets = body.resources.find((resource: { name: string }) => resource.name === "widgets");
    expect(widgets.shortNames).toBeUndefined();
  });
});

describe("OpenAPI", () => {
  const schema = {
    openAPIV3Schema: {
      type: "object",
      description: "A widget.",
      required: ["spec"],
      properties: {
        metadata: { type: "object" },
        spec: {
          type: "object",
          required: ["name", "maybe"],
          properties: {
            name: { type: "string", description: "What it is called." },
            maybe: { type: "string", nullable: true },
            port: { "x-kubernetes-int-or-string": true },
            any: {
              type: "object",
              "x-kubernetes-preserve-unknown-fields": true,
              properties: { a: { type: "string" } },
            },
            pod: {
              type: "object",
              "x-kubernetes-embedded-resource": true,
              properties: { spec: { type: "object" } },
            },
            list: { type: "array", items: { type: "integer" }, anyOf: [{ minItems: 1 }] },
          },
        },
      },
    },
  };
  const described = definition({ versions: [version("v1", { schema, subresources: { status: {} } })] });
  const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

  it("v3 says everything the definition says, and what every object has", async () => {
    const { call, define } = definitionServer();
    await define(described);
    const { body } = await call("GET", "/openapi/v3/apis/example.com/v1");
    const published = body.components.schemas["com.example.v1.Widget"];
    expect(published).toMatchObject({
      description: "A widget.",
      required: ["spec"],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { allOf: [{ $ref: `#/components/schemas/${meta}.ObjectMeta` }] },
        spec: {
          properties: {
            name: { type: "string", description: "What it is called." },
            port: { anyOf: [{ type: "integer" }, { type: "string" }] },
            pod: { properties: { apiVersion: { type: "string" } }, required: ["kind", "apiVersion"] },
            list: { anyOf: [{ minItems: 1 }] },
          },
        },
      },
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget", version: "v1" }],
    });
    expect(body.components.schemas[`${meta}.ObjectMeta`]).toBeDefined();
    const item = body.paths["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"];
    expect(item.patch.parameters.map(({ name }: { name: string }) => name)).toContain("fieldValidation");
    expect(Object.keys(body.paths)).toContain(
      "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status",
    );
  });

  it("v2 leaves out what kubectl would trip over", async () => {
    const { call, define } = definitionServer();
    await define(described);
    const { body } = await call("GET", "/openapi/v2");
    const { properties, required } = body.definitions["com.example.v1.Widget"].properties.spec;
    expect(required).toEqual(["name"]);
    expect(properties.maybe).toEqual({});
    expect(properties.any).toEqual({ "x-kubernetes-preserve-unknown-fields": true });
    expect(properties.list).toEqual({ type: "array", items: { type: "integer" } });
    expect(properties.pod.properties.metadata.$ref).toBe(`#/definitions/${meta}.ObjectMeta`);
    const quantity = body.definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"];
    expect(quantity).toMatchObject({ type: "string", format: "int-or-string" });
    expect(JSON.stringify(body).includes("#/components/schemas/")).toBe(false);
  });

  it("v2 promises nothing of a kind that takes anything", async () => {
    const { call, define } = definitionServer();
    const open = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await define(definition({ versions: [version("v1", { schema: open })] }));
    const { body } = await call("GET", "/openapi/v2");
    expect(body.definitions["com.example.v1.Widget"]).toEqual({
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget", version: "v1" }],
    });
  });

  it("changes only where definitions do", async () => {
    const { call, define } = definitionServer();
    await define(described);
    const index = async () => (await call("GET", "/openapi/v3")).body.paths;
    const before = await index();
    const document = await call("GET", "/openapi/v3/apis/example.com/v1");
    await define(definition({ group: "other.example.com" }));
    const between = await index();
    expect(between["apis/other.example.com/v1"]).toBeDefined();
    expect({ ...between, "apis/other.example.com/v1": undefined }).toEqual(before);
    const etag = String(document.headers["etag"]);
    const same = await call("GET", "/openapi/v3/apis/example.com/v1", undefined, {
      headers: { "if-none-match": etag },
    });
    expect(same.status).toBe(304);
    await define(definition());
    const after = await index();
    expect(after["apis/example.com/v1"]).not.toEqual(before["apis/example.com/v1"]);
    const changed = await call("GET", "/openapi/v3/apis/example.com/v1", undefined, {
      headers: { "if-none-match": etag },
    });
    expect(changed.status).toBe(200);
  });

  it("sends those with an old address to the new one", async () => {
    const { call, define } = definitionServer();
    await define(described);
    const address = async () =>
      (await call("GET", "/openapi/v3")).body.paths["apis/example.com/v1"].serverRelativeURL;
    const old = new URL(await address(), "https://localhost");
    const query = { hash: String(old.searchParams.get("hash")) };
    const found = await call("GET", old.pathname, undefined, { query });
    expect([found.status, found.headers["cache-control"]]).toEqual([200, "public, immutable"]);
    await define(definition());
    const moved = await call("GET", old.pathname, undefined, { query });
    expect([moved.status, moved.headers["location"]]).toEqual([301, await address()]);
  });
});
