import { isNotFound, type TransportRequest } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { Client } from "./client.js";
import { type Answer, failed, object, scripted } from "./fixtures/scripted-transport.js";

const widget = {
  resource: "widgets",
  responseKind: { group: "example.com", version: "v1", kind: "Widget" },
  scope: "Namespaced",
  singularResource: "widget",
  shortNames: ["wd"],
  categories: ["all"],
  verbs: ["get", "list"],
  subresources: [{ subresource: "status", verbs: ["get"] }],
};

const pods = {
  resource: "pods",
  responseKind: { kind: "Pod" },
  scope: "Namespaced",
  singularResource: "pod",
  verbs: ["get"],
};

const groups = (items: object[]): Answer => ({ body: object({ kind: "APIGroupDiscoveryList", items }) });
const core = groups([{ metadata: {}, versions: [{ version: "v1", resources: [pods] }] }]);
const withWidget = groups([
  { metadata: { name: "example.com" }, versions: [{ version: "v1", resources: [widget] }] },
]);

/** A server whose kinds may change. */
function server(paths: Record<string, Answer>) {
  return scripted((request: TransportRequest) => paths[request.path] ?? failed(404, "NotFound"));
}

const descriptor = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  singular: "widget",
  scope: "Namespaced",
  shortNames: ["wd"],
  categories: ["all"],
  verbs: ["get", "list"],
  subresources: ["status"],
};

describe("client.resource", () => {
  it("finds a kind in two requests, and keeps what it learned", async () => {
    const { transport, requests } = server({ "/api": core, "/apis": withWidget });
    const client = new Client({ transport });
    expect(await client.resource({ apiVersion: "example.com/v1", kind: "Widget" })).toEqual(descriptor);
    expect(await client.resource({ apiVersion: "v1", kind: "Pod" })).toMatchObject({
      group: "",
      plural: "pods",
    });
    expect(requests.map(({ path }) => path)).toEqual(["/api", "/apis"]);
    expect(requests[0]!.headers?.["accept"]).toContain("g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  });

  it("asks again when a kind is missing, once for all who miss it", async () => {
    const paths = { "/api": core, "/apis": groups([]) };
    const { transport, requests } = server(paths);
    const client = new Client({ transport });
    await client.resources();
    paths["/apis"] = withWidget;
    const found = await Promise.all(
      [1, 2, 3].map(() => client.resource({ apiVersion: "example.com/v1", kind: "Widget" })),
    );
    expect(found.map(({ plural }) => plural)).toEqual(["widgets", "widgets", "widgets"]);
    expect(requests).toHaveLength(4);
  });

  it("says that a kind is not there", async () => {
    const { transport } = server({ "/api": core, "/apis": groups([]) });
    const failure = new Client({ transport }).resource({ apiVersion: "example.com/v1", kind: "Widget" });
    await expect(failure).rejects.toSatisfy(isNotFound);
    await expect(failure).rejects.toThrow(
      "no kind Widget in example.com/v1; is its CustomResourceDefinition",
    );
    const nonsense = new Client({ transport }).resource({ apiVersion: "a/b/c", kind: "Widget" });
    await expect(nonsense).rejects.toSatisfy(isNotFound);
  });

  it("reads a descriptor that every verb takes", async () => {
    const { transport, requests } = server({ "/api": core, "/apis": withWidget });
    const client = new Client({ transport });
    const Widget = await client.resource({ apiVersion: "example.com/v1", kind: "Widget" });
    await client.get(Widget, "a", { namespace: "x" }).catch(() => undefined);
    expect(requests.at(-1)?.path).toBe("/apis/example.com/v1/namespaces/x/widgets/a");
  });

  it("does not keep a failure", async () => {
    const paths: Record<string, Answer> = { "/api": core };
    const { transport } = server(paths);
    const client = new Client({ transport });
    await expect(client.resources()).rejects.toThrow("discover /apis");
    paths["/apis"] = withWidget;
    expect(await client.resources()).toHaveLength(2);
  });

  it("asks an older server group by group, and does without one that is down", async () => {
    const { transport } = server({
      "/api": { body: object({ kind: "APIVersions", versions: ["v1"] }) },
      "/apis": {
        body: object({
          kind: "APIGroupList",
          groups: [
            { name: "example.com", versions: [{ groupVersion: "example.com/v1", version: "v1" }] },
            { name: "down.io", versions: [{ groupVersion: "down.io/v1", version: "v1" }] },
          ],
        }),
      },
      "/api/v1": {
        body: object({ resources: [{ name: "nodes", kind: "Node", namespaced: false, verbs: ["get"] }] }),
      },
      "/apis/example.com/v1": {
        body: object({
          resources: [
            {
              name: "widgets",
              singularName: "widget",
              kind: "Widget",
              namespaced: true,
              verbs: ["get", "list"],
              shortNames: ["wd"],
              categories: ["all"],
            },
            { name: "widgets/status", kind: "Widget", namespaced: true, verbs: ["get"] },
          ],
        }),
      },
    });
    const client = new Client({ transport });
    expect(await client.resource({ apiVersion: "example.com/v1", kind: "Widget" })).toEqual(descriptor);
    expect(await client.resource({ apiVersion: "v1", kind: "Node" })).toMatchObject({
      scope: "Cluster",
      singular: "node",
    });
  });
});
