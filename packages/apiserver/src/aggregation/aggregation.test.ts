import type { TransportResponse } from "@kubewright/api";
import { afterEach, describe, expect, test } from "vitest";
import { accessServer, user } from "../auth/fixtures/access-server.js";
import type { ApiServerOptions } from "../server.js";
import {
  type Extension,
  frontProxy,
  resourceList,
  startExtension,
  testAuthority,
} from "./fixtures/extension.js";

const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const name = "v1alpha1.wardle.example.com";
const flunders = "/apis/wardle.example.com/v1alpha1/namespaces/default/flunders";
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const apiService = (more: object = {}, annotations: Record<string, string> = {}) => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name, annotations },
  spec: {
    group: "wardle.example.com",
    version: "v1alpha1",
    groupPriorityMinimum: 17_790,
    versionPriority: 15,
    ...more,
  },
});

const byService = { service: { namespace: "wardle", name: "api" } };

function setUp(options: ApiServerOptions = {}) {
  const { server, ask, clock, grant } = accessServer(options);
  closing.push(() => server.close());
  const condition = async () => (await ask("GET", `${apiServices}/${name}`)).body.status?.conditions?.[0];
  const settled = (reason: string) =>
    expect.poll(async () => (await condition())?.reason, { timeout: 10_000 }).toBe(reason);
  return { server, ask, clock, grant, condition, settled };
}

/** The embedded server, the extension behind it, and a Service with endpoints between them. */
async function withExtension(more: object = {}) {
  const authority = testAuthority();
  const extension: Extension = await startExtension(authority);
  closing.push(() => extension.close());
  const parts = setUp({
    frontProxy: () => frontProxy(authority),
    resolveService: () => ({ host: "127.0.0.1", port: extension.port }),
  });
  await addService(parts.ask);
  const caBundle = Buffer.from(authority.certificate).toString("base64");
  await parts.ask("POST", apiServices, apiService({ ...byService, caBundle, ...more }));
  return { ...parts, extension, authority };
}

type Ask = ReturnType<typeof setUp>["ask"];

async function addService(ask: Ask, { slice = true, port = 443 } = {}): Promise<void> {
  await ask("POST", "/api/v1/namespaces", { metadata: { name: "wardle" } });
  await ask("POST", "/api/v1/namespaces/wardle/services", {
    metadata: { name: "api" },
    spec: { ports: [{ name: "https", port }] },
  });
  if (slice) await addSlice(ask, true);
}

const addSlice = (ask: Ask, ready: boolean) =>
  ask("POST", "/apis/discovery.k8s.io/v1/namespaces/wardle/endpointslices", {
    metadata: { name: "api-1", labels: { "kubernetes.io/service-name": "api" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready } }],
    ports: [{ name: "https", port: 8443, protocol: "TCP" }],
  });

const textOf = ({ body }: TransportResponse): string =>
  body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";

interface Item {
  readonly metadata: { readonly name: string };
}

async function jsonOf({ body }: TransportResponse) {
  if (body.kind !== "stream") return undefined;
  const chunks = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

describe("APIServices of groups that the server itself serves", () => {
  test.each([
    ["v1.", "onstart", 18_000, 1],
    ["v1.apps", "onstart", 17_800, 15],
    ["v2.autoscaling", "onstart", 17_500, 30],
  ])(
    "%s exists from the start, with its priorities",
    async (id, label, groupPriorityMinimum, versionPriority) => {
      const { ask } = setUp();
      const { body } = await ask("GET", `${apiServices}/${id}`);
      expect(body).toMatchObject({
        metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": label } },
        spec: { groupPriorityMinimum, versionPriority },
        status: {
          conditions: [
            {
              type: "Available",
              status: "True",
              reason: "Local",
              message: "Local APIServices are always available",
            },
          ],
        },
      });
    },
  );

  const definition = (plural: string, versions: readonly string[]) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.things.example.com` },
    spec: {
      group: "things.example.com",
      scope: "Namespaced",
      names: { plural, singular: plural.slice(0, -1), kind: plural.toUpperCase() },
      versions: versions.map((version, index) => ({
        name: version,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: "object" } },
      })),
    },
  });

  test("those of custom kinds are created and deleted with their CRDs", async () => {
    const { ask, server } = setUp();
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const names = async (): Promise<string[]> =>
      (await ask("GET", apiServices)).body.items
        .map(({ metadata }: { metadata: { name: string } }) => metadata.name)
        .filter((id: string) => id.endsWith("things.example.com"));
    await ask("POST", definitions, definition("as", ["v1", "v1beta1"]));
    await ask("POST", definitions, definition("bs", ["v1"]));
    await expect.poll(names).toEqual(["v1.things.example.com", "v1beta1.things.example.com"]);
    const { body } = await ask("GET", `${apiServices}/v1.things.example.com`);
    expect(body).toMatchObject({
      metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": "true" } },
      spec: { group: "things.example.com", groupPriorityMinimum: 1000, versionPriority: 100 },
    });
    await ask("DELETE", `${apiServices}/v1.things.example.com`);
    await expect.poll(names).toEqual(["v1.things.example.com", "v1beta1.things.example.com"]);
    await ask("DELETE", `${definitions}/as.things.example.com`);
    await expect.poll(names).toEqual(["v1.things.example.com"]);
    await ask("DELETE", `${definitions}/bs.things.example.com`);
    await expect.poll(names).toEqual([]);
    server.close();
  });
});

describe("aggregated API server", () => {
  test("gets requests with the user in headers, and a client certificate that proves who sends them", async () => {
    const { server, settled, grant } = await withExtension();
    await settled("Passed");
    await grant(user("bob"), [{ apiGroups: ["*"], resources: ["flunders"], verbs: ["get"] }]);
    const jane = { ...user("jane", "team, a"), uid: "u1", extra: { "example.com/scopes": ["x", "y"] } };
    const response = await server.handle(
      {
        method: "GET",
        path: `${flunders}/f`,
        headers: { authorization: "Bearer secret", "x-remote-user": "admin", "impersonate-user": "bob" },
      },
      { user: { ...jane, groups: ["system:masters", ...jane.groups] } },
    );
    expect((await jsonOf(response)).seen).toEqual({
      "x-remote-user": "bob",
      "x-remote-group": "system:authenticated",
    });
    const direct = await server.handle(
      {
        method: "GET",
        path: `${flunders}/f`,
        headers: { authorization: "Bearer secret", "x-remote-group": "system:masters" },
      },
      { user: { ...jane, groups: ["system:masters", ...jane.groups] } },
    );
    expect((await jsonOf(direct)).seen).toEqual({
      "x-remote-user": "jane",
      "x-remote-uid": "u1",
      "x-remote-group": "system:masters|team, a|system:authenticated",
      "x-remote-extra-example.com%2fscopes": "x|y",
    });
  });

  test("gets no request that the user is not authorized for", async () => {
    const { ask, settled, extension, grant } = await withExtension();
    await settled("Passed");
    const before = extension.requests.length;
    expect((await ask("GET", flunders, undefined, { as: user("eve") })).status).toBe(403);
    expect(extension.requests.length).toBe(before);
    await grant(user("eve"), [
      { apiGroups: ["wardle.example.com"], resources: ["flunders"], verbs: ["list"] },
    ]);
    expect((await ask("GET", flunders, undefined, { as: user("eve") })).status).toBe(200);
  });

  test("is part of discovery and OpenAPI, at the place of its priority", async () => {
    const { ask, settled, server } = await withExtension();
    await settled("Passed");
    const groups = (await ask("GET", "/apis")).body.groups.map((group: { name: string }) => group.name);
    expect(groups.slice(0, 3)).toEqual(["apiregistration.k8s.io", "apps", "wardle.example.com"]);
    expect((await ask("GET", "/apis/wardle.example.com")).body).toMatchObject({
      kind: "APIGroup",
      preferredVersion: { version: "v1alpha1" },
    });
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const aggregated = async () => {
      const { body } = await ask("GET", "/apis", undefined, { headers: { accept } });
      return body.items.find((item: Item) => item.metadata.name === "wardle.example.com").versions[0];
    };
    await expect.poll(aggregated).toEqual({
      version: "v1alpha1",
      freshness: "Current",
      resources: [
        {
          resource: "flunders",
          responseKind: { group: "wardle.example.com", version: "v1alpha1", kind: "Flunder" },
          scope: "Namespaced",
          singularResource: "flunder",
          verbs: ["create", "get", "list", "watch"],
          shortNames: ["fl"],
          subresources: [
            {
              subresource: "status",
              responseKind: { group: "wardle.example.com", version: "v1alpha1", kind: "Flunder" },
              verbs: ["get"],
            },
          ],
        },
      ],
    });
    const index = (await ask("GET", "/openapi/v3")).body.paths;
    expect(index["apis/wardle.example.com/v1alpha1"]).toEqual({
      serverRelativeURL: "/openapi/v3/apis/wardle.example.com/v1alpha1?hash=ABC",
    });
    const get = async (path: string) =>
      jsonOf(
        await server.handle({ method: "GET", path }, { user: { name: "a", groups: ["system:masters"] } }),
      );
    expect(await get("/openapi/v3/apis/wardle.example.com/v1alpha1")).toMatchObject({
      info: { title: "wardle" },
    });
    expect(await get("/apis/wardle.example.com/v1alpha1")).toEqual(resourceList);
  });

  test("serves watches for as long as the client reads", async () => {
    const { server, settled } = await withExtension();
    await settled("Passed");
    const { body } = await server.transport()({
      method: "GET",
      path: flunders,
      query: new URLSearchParams("watch=1"),
    });
    if (body.kind !== "stream") throw new Error("no stream");
    const chunks = body.chunks[Symbol.asyncIterator]();
    const { value } = await chunks.next();
    expect(JSON.parse(Buffer.from(value).toString())).toMatchObject({
      type: "ADDED",
      object: { kind: "Flunder" },
    });
    await chunks.return?.();
  });

  test("gets Available=False and is answered for with 503 when it is gone", async () => {
    const { server, settled, extension, ask, clock, condition } = await withExtension();
    await settled("Passed");
    await extension.close();
    const response = await server.transport()({ method: "GET", path: flunders });
    expect(response.status).toBe(503);
    expect(textOf(response)).toBe(
      `error trying to reach service: dial tcp 127.0.0.1:${extension.port}: connect: connection refused\n`,
    );
    await clock.advance(31_000);
    await settled("FailedDiscoveryCheck");
    const url = `https://127.0.0.1:${extension.port}/apis/wardle.example.com/v1alpha1`;
    expect((await condition()).message).toBe(
      `failing or missing response from ${url}: Get "${url}": dial tcp 127.0.0.1:${extension.port}: connect: connection refused`,
    );
    expect(textOf(await server.transport()({ method: "GET", path: flunders }))).toBe("service unavailable\n");
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { body } = await ask("GET", "/apis", undefined, { headers: { accept } });
    const item = body.items.find((each: Item) => each.metadata.name === "wardle.example.com");
    expect(item.versions[0]).toMatchObject({ freshness: "Stale" });
    expect(textOf(await server.transport()({ method: "GET", path: "/metrics" }))).toContain(
      `aggregator_unavailable_apiservice{name="${name}"} 1\n`,
    );
  });

  test.each([
    ["of another authority", { caBundle: Buffer.from(testAuthority().certificate).toString("base64") }, 503],
    ["that nobody looks at", { caBundle: undefined, insecureSkipTLSVerify: true }, 200],
  ])("is authenticated by its certificate: %s", async (_what, more, status) => {
    const { server, settled } = await withExtension(more);
    await settled("Passed");
    const response = await server.transport()({ method: "GET", path: flunders });
    expect(response.status).toBe(status);
    if (status === 503)
      expect(textOf(response)).toMatch(
        /^error trying to reach service: tls: failed to verify certificate: x509: /,
      );
  });

  test("is trusted by the CA in its caBundle", async () => {
    const { server, ask, extension, settled } = await withExtension({ caBundle: undefined });
    const caBundle = Buffer.from(extension.certificate).toString("base64");
    const patch = { headers: { "content-type": "application/merge-patch+json" } };
    await ask("PATCH", `${apiServices}/${name}`, { spec: { caBundle } }, patch);
    await settled("Passed");
    await expect
      .poll(async () => (await server.transport()({ method: "GET", path: flunders })).status, {
        timeout: 5000,
      })
      .toBe(200);
  });

  test("can be at a URL, or a function", async () => {
    const authority = testAuthority();
    const extension = await startExtension(authority);
    closing.push(() => extension.close());
    const atUrl = setUp({ frontProxy: () => frontProxy(authority) });
    const annotations = { "kubewright.dev/url": `https://127.0.0.1:${extension.port}` };
    await atUrl.ask("POST", apiServices, apiService({}, annotations));
    await atUrl.settled("Passed");
    expect((await atUrl.server.transport()({ method: "GET", path: flunders })).status).toBe(503);

    const seen: string[] = [];
    const asFunction = setUp({
      resolveExtension: ({ name: id }) =>
        id === name
          ? async ({ path, headers }) => {
              seen.push(`${headers?.["x-remote-user"]} ${path}`);
              return { status: 200, headers: {}, body: { kind: "object", value: resourceList } };
            }
          : undefined,
    });
    await asFunction.ask("POST", apiServices, apiService());
    await asFunction.settled("Passed");
    expect((await asFunction.ask("GET", flunders)).status).toBe(200);
    expect(seen.at(-1)).toBe(`admin ${flunders}`);
  });
});

describe("APIService availability", () => {
  const where = 'service/api in "wardle"';
  test.each([
    ["ServiceNotFound", `${where} is not present`, async () => undefined],
    [
      "ServicePortError",
      `${where} is not listening on port 443`,
      (ask: Ask) => addService(ask, { port: 80 }),
    ],
    [
      "EndpointsNotFound",
      `cannot find endpointslices for ${where}`,
      (ask: Ask) => addService(ask, { slice: false }),
    ],
    [
      "MissingEndpoints",
      `endpointslices for ${where} have no addresses with port name "https"`,
      async (ask: Ask) => {
        await addService(ask, { slice: false });
        await addSlice(ask, false);
      },
    ],
  ])("reports Available=False with reason %s", async (reason, message, prepare) => {
    const { ask, condition, settled, server } = setUp();
    await prepare(ask);
    await ask("POST", apiServices, apiService({ ...byService, insecureSkipTLSVerify: true }));
    await settled(reason);
    expect(await condition()).toMatchObject({ type: "Available", status: "False", reason, message });
    const refused = await server.transport()({ method: "GET", path: flunders });
    expect([refused.status, textOf(refused)]).toEqual([503, "service unavailable\n"]);
  });

  test("is checked again when the Service or its EndpointSlices change", async () => {
    const { ask, settled } = setUp({
      resolveExtension: () => undefined,
      resolveService: () => ({ host: "127.0.0.1", port: 1 }),
    });
    await ask("POST", apiServices, apiService({ ...byService, insecureSkipTLSVerify: true }));
    await settled("ServiceNotFound");
    await addService(ask, { slice: false });
    await settled("EndpointsNotFound");
    await addSlice(ask, true);
    await settled("FailedDiscoveryCheck");
  });

  test("is Local at once when the group is served by the server itself again", async () => {
    const { ask, settled } = setUp();
    await ask("POST", apiServices, apiService({ ...byService, insecureSkipTLSVerify: true }));
    await settled("ServiceNotFound");
    const { body } = await ask("GET", `${apiServices}/${name}`);
    await ask("PUT", `${apiServices}/${name}`, { ...body, spec: apiService().spec });
    await settled("Local");
  });
});
