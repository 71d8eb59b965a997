import {
  type ApiError,
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  type KubeObject,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  type MutatingAdmissionPolicySpec,
  type Mutation,
  Namespace,
  type ParamRef,
  type ResourceDescriptor,
} from "@kubewright/api";
import { createApiServer } from "@kubewright/apiserver";
import { Client } from "@kubewright/client";
import { describe, expect, it } from "vitest";

const failure = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => expect.fail("it went through"),
    (error) => error,
  );

const all = { apiGroups: ["*"], apiVersions: ["*"], operations: ["CREATE", "UPDATE"] } as const;
const configMaps = { ...all, resources: ["configmaps"] };

const configuration = (expression: string): Mutation => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patch = (expression: string): Mutation => ({ patchType: "JSONPatch", jsonPatch: { expression } });

async function policyServer() {
  const server = createApiServer({ disableAdmission: ["ServiceAccount"] });
  const client = new Client({ transport: server.transport() });
  await client.create(Namespace, { metadata: { name: "shop", labels: { team: "sales" } } });
  return {
    client,
    /** A policy that is bound everywhere. */
    async policy(name: string, spec: Partial<MutatingAdmissionPolicySpec>, paramRef?: ParamRef) {
      await client.create(MutatingAdmissionPolicy, {
        metadata: { name },
        spec: {
          matchConstraints: { resourceRules: [configMaps] },
          reinvocationPolicy: "Never",
          ...spec,
        },
      });
      const binding = { policyName: name, ...(paramRef ? { paramRef } : {}) };
      await client.create(MutatingAdmissionPolicyBinding, { metadata: { name }, spec: binding });
    },
    create: (data: Record<string, string> = {}, name = "x") =>
      client.create(ConfigMap, { metadata: { name, namespace: "shop" }, data }),
    async [Symbol.asyncDispose]() {
      await client.close();
      server.close();
    },
  };
}

describe("an apply configuration", () => {
  it("is merged into the object", async () => {
    await using server = await policyServer();
    await server.policy("p", {
      mutations: [
        configuration(
          'Object{metadata: Object.metadata{labels: {"team": namespaceObject.metadata.labels.team}}, data: {"b": object.data.a + "!"}}',
        ),
      ],
    });
    const { metadata, data } = await server.create({ a: "1" });
    expect(metadata?.labels).toEqual({ team: "sales" });
    expect(data).toEqual({ a: "1", b: "1!" });
  });

  it("merges lists by their keys", async () => {
    await using server = await policyServer();
    await server.policy("p", {
      matchConstraints: { resourceRules: [{ ...all, resources: ["deployments"] }] },
      mutations: [
        configuration(`Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
          initContainers: [Object.spec.template.spec.initContainers{name: "proxy", image: "proxy:1", restartPolicy: "Always"}],
          containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{
            name: c.name, env: [Object.spec.template.spec.containers.env{name: "PROXY", value: "on"}]})}}}}`),
      ],
    });
    const labels = { app: "a" };
    const container = { name: "c", image: "i", env: [{ name: "A", value: "1" }] };
    const { spec } = await server.client.create(Deployment, {
      metadata: { name: "d", namespace: "shop" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    expect(spec?.template?.spec).toMatchObject({
      initContainers: [{ name: "proxy", image: "proxy:1", imagePullPolicy: "IfNotPresent" }],
      containers: [
        {
          name: "c",
          image: "i",
          env: [
            { name: "A", value: "1" },
            { name: "PROXY", value: "on" },
          ],
        },
      ],
    });
  });

  it.each([
    [
      "Object{metadata: Object.wrong{}}",
      'type mismatch: unexpected type name "Object.wrong", expected "Object.metadata", which matches field name path from root Object type',
    ],
    ["Object{nothing: 1}", "error applying patch: failed to convert patch object to typed object: .nothing:"],
    ['Object{data: {"a": object.data.none}}', "no such key: none"],
  ])("%s denies the request", async (expression, text) => {
    await using server = await policyServer();
    await server.policy("p", { mutations: [configuration(expression)] });
    const { message, code, reason } = await failure(server.create({ a: "1" }));
    expect({ code, reason }).toEqual({ code: 403, reason: "Invalid" });
    expect(message).toContain("policy 'p' with binding 'p' denied request: ");
    expect(message).toContain(text);
  });

  it("may not replace what is taken as a whole", async () => {
    await using server = await policyServer();
    await server.policy("p", {
      matchConstraints: { resourceRules: [{ ...all, resources: ["deployments"] }] },
      mutations: [
        configuration('Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "b"}}}}'),
      ],
    });
    const labels = { app: "a" };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    };
    const attempt = server.client.create(Deployment, { metadata: { name: "d", namespace: "shop" }, spec });
    expect((await failure(attempt)).message).toContain(
      "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector",
    );
  });
});

describe("a JSON patch", () => {
  it("is applied", async () => {
    await using server = await policyServer();
    await server.policy("p", {
      mutations: [
        patch(`[
          JSONPatch{op: "test", path: "/data/a", value: "1"},
          JSONPatch{op: "add", path: "/metadata/annotations", value: {}},
          JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("example.com/by"), value: request.userInfo.username},
          JSONPatch{op: "move", from: "/data/a", path: "/data/b"}]`),
      ],
    });
    const { metadata, data } = await server.create({ a: "1" });
    expect(metadata?.annotations).toEqual({ "example.com/by": "admin" });
    expect(data).toEqual({ b: "1" });
  });

  it("does nothing where its test fails", async () => {
    await using server = await policyServer();
    const operations =
      '[JSONPatch{op: "test", path: "/data/a", value: "2"}, JSONPatch{op: "remove", path: "/data/a"}]';
    await server.policy("p", { mutations: [patch(operations)] });
    expect((await server.create({ a: "1" })).data).toEqual({ a: "1" });
  });

  it("denies the request where it cannot be applied", async () => {
    await using server = await policyServer();
    await server.policy("p", { mutations: [patch('[JSONPatch{op: "remove", path: "/data/none"}]')] });
    expect((await failure(server.create({ a: "1" }))).message).toContain("denied request: JSONPath: ");
  });
});

describe("a policy", () => {
  it.each([
    [configuration("object"), "must evaluate to Object but got dyn"],
    [patch("[1]"), "must evaluate to list(JSONPatch) but got list(int)"],
    [configuration("Other{}"), "undeclared reference to 'Other'"],
  ])("%j is refused", async (mutation, text) => {
    await using server = await policyServer();
    expect((await failure(server.policy("p", { mutations: [mutation] }))).message).toContain(text);
  });

  it("sees what those before it did, in the order of their names", async () => {
    await using server = await policyServer();
    await server.policy("b", { mutations: [configuration('Object{data: {"b": object.data.a}}')] });
    await server.policy("a", {
      mutations: [
        configuration('Object{data: {"a": "1"}}'),
        configuration('Object{data: {"a": object.data.a + "2"}}'),
      ],
    });
    expect((await server.create()).data).toEqual({ a: "12", b: "12" });
  });

  it("runs again when others changed the object, if it wants to", async () => {
    const count = (name: string) =>
      configuration(`Object{data: {"${name}": has(object.data.${name}) ? object.data.${name} + "+" : "1"}}`);
    await using server = await policyServer();
    await server.policy("a", { reinvocationPolicy: "IfNeeded", mutations: [count("a")] });
    await server.policy("b", { mutations: [count("b")] });
    expect((await server.create({ c: "1" })).data).toEqual({ a: "1+", b: "1", c: "1" });
  });

  it("has conditions, variables and parameters", async () => {
    await using server = await policyServer();
    await server.client.create(ConfigMap, {
      metadata: { name: "settings", namespace: "shop" },
      data: { to: "z" },
    });
    await server.policy(
      "p",
      {
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        matchConditions: [{ name: "wanted", expression: "has(object.data) && has(object.data.change)" }],
        variables: [{ name: "next", expression: "params.data.to + object.data.change" }],
        mutations: [configuration('Object{data: {"changed": variables.next}}')],
      },
      { name: "settings", parameterNotFoundAction: "Deny" },
    );
    expect((await server.create({ change: "1" })).data).toEqual({ change: "1", changed: "z1" });
    expect((await server.create({ other: "1" }, "y")).data).toEqual({ other: "1" });
  });

  it("lets requests pass that it fails on, if it says so", async () => {
    await using server = await policyServer();
    await server.policy("p", {
      failurePolicy: "Ignore",
      mutations: [configuration("Object{data: object.none}"), configuration('Object{data: {"b": "2"}}')],
    });
    expect((await server.create({ a: "1" })).data).toEqual({ a: "1", b: "2" });
  });

  it("changes custom resources", async () => {
    await using server = await policyServer();
    await server.client.create(CustomResourceDefinition, {
      metadata: { name: "boxes.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "boxes", kind: "Box" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
              },
            },
          },
        ],
      },
    });
    await server.policy("p", {
      matchConstraints: { resourceRules: [{ ...all, resources: ["boxes"] }] },
      mutations: [configuration("Object{spec: Object.spec{size: 3}}")],
    });
    const boxes = {
      group: "example.com",
      version: "v1",
      kind: "Box",
      plural: "boxes",
      scope: "Namespaced",
    } as const;
    const metadata = { name: "b", namespace: "shop" };
    const create = () =>
      server.client.create(
        boxes as ResourceDescriptor<KubeObject & { spec?: unknown }>,
        { metadata } as never,
      );
    await expect
      .poll(() =>
        create().then(
          ({ spec }) => spec,
          () => undefined,
        ),
      )
      .toEqual({ size: 3 });
  });
});
