import { ApiError, Deployment, isNotFound, Node, Pod } from "@kubewright/api";
import { describe, expect, expectTypeOf, it } from "vitest";
import { Client } from "./client.js";
import { bytes, failed, object, scripted, urlOf } from "./fixtures/scripted-transport.js";

describe("Client requests", () => {
  const shop = { namespace: "shop" };
  const web = { metadata: { name: "web", namespace: "shop" } };
  const calls: [string, (client: Client) => Promise<unknown>][] = [
    ["GET /apis/apps/v1/namespaces/shop/deployments/web", (c) => c.get(Deployment, "web", shop)],
    ["GET /api/v1/nodes/n1?resourceVersion=0", (c) => c.get(Node, "n1", { resourceVersion: "0" })],
    ["GET /api/v1/pods?limit=2", (c) => c.list(Pod, { limit: 2 })],
    [
      "GET /api/v1/namespaces/shop/pods?labelSelector=app%3Dweb",
      (c) => c.list(Pod, { ...shop, labelSelector: "app=web" }),
    ],
    ["POST /api/v1/namespaces/shop/pods?fieldManager=t", (c) => c.create(Pod, web)],
    [
      "POST /api/v1/namespaces/shop/pods?fieldManager=x&dryRun=All&fieldValidation=Strict",
      (c) => c.create(Pod, web, { dryRun: true, fieldManager: "x", fieldValidation: "Strict" }),
    ],
    [
      "PUT /api/v1/namespaces/shop/pods/web/status?fieldManager=t",
      (c) => c.update(Pod, web, { subresource: "status" }),
    ],
    [
      "PATCH /api/v1/namespaces/shop/pods/web?fieldManager=t",
      (c) => c.patch(Pod, "web", { merge: { spec: {} } }, shop),
    ],
    [
      "PATCH /api/v1/namespaces/shop/pods/web?fieldManager=t&force=true",
      (c) => c.apply(Pod, web, { force: true }),
    ],
    ["DELETE /api/v1/namespaces/shop/pods/web", (c) => c.delete(Pod, "web", shop)],
    [
      "DELETE /api/v1/namespaces/shop/pods?labelSelector=a",
      (c) => c.deleteCollection(Pod, { ...shop, labelSelector: "a" }),
    ],
  ];

  it.each(calls)("%s", async (expected, call) => {
    const { transport, requests } = scripted();
    await call(new Client({ transport, fieldManager: "t" }));
    expect(urlOf(requests[0]!)).toBe(expected);
  });

  it("names the kind in what it sends", async () => {
    const { transport, requests } = scripted();
    await new Client({ transport }).apply(Deployment, web);
    expect(requests[0]).toMatchObject({
      headers: { "content-type": "application/apply-patch+yaml" },
      body: { kind: "object", value: { apiVersion: "apps/v1", kind: "Deployment", ...web } },
    });
  });

  it("never lets an empty name widen a call", async () => {
    const { transport, requests } = scripted();
    const client = new Client({ transport, defaultNamespace: "shop" });
    await expect(client.delete(Pod, "")).rejects.toThrow("delete Pod: a name is needed");
    await expect(client.get(Pod, "..")).rejects.toThrow(TypeError);
    await expect(client.get(Pod, "a/b")).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });

  it("asks for a namespace unless it has a default", async () => {
    const { transport, requests } = scripted();
    await expect(new Client({ transport }).get(Pod, "web")).rejects.toThrow("a namespace is needed");
    await new Client({ transport, defaultNamespace: "team" }).get(Pod, "web");
    expect(requests[0]!.path).toBe("/api/v1/namespaces/team/pods/web");
  });
});

describe("Client responses", () => {
  it("are typed by the descriptor", async () => {
    const { transport } = scripted({ body: bytes('{"metadata":{"name":"web"},"spec":{"replicas":2}}') });
    const web = await new Client({ transport }).get(Deployment, "web", { namespace: "shop" });
    expectTypeOf(web).toEqualTypeOf<Deployment>();
    expect(web.spec?.replicas).toBe(2);
  });

  it("become an ApiError that names the call and the object", async () => {
    const { transport } = scripted(failed(404, "NotFound", 'deployments.apps "web" not found'));
    const failure = new Client({ transport }).get(Deployment, "web", { namespace: "shop" });
    await expect(failure).rejects.toThrow('get Deployment shop/web: deployments.apps "web" not found');
    await expect(failure).rejects.toSatisfy(isNotFound);
  });

  it("from a proxy are distinguished from those of the API server", async () => {
    const page = "<html><head><style>b{}</style></head><body><h1>502 Bad Gateway</h1>nginx</body></html>";
    const { transport } = scripted({ status: 502, body: bytes(page) });
    const failure = new Client({ transport }).get(Node, "n1");
    await expect(failure).rejects.toThrow(
      "get Node n1: HTTP 502, not a Kubernetes answer: 502 Bad Gateway nginx",
    );
    await expect(failure).rejects.toMatchObject({ code: 502, reason: "Unknown" });
  });

  it("that say the path is unknown name the remedy", async () => {
    const { transport } = scripted({ status: 404, body: bytes("404 page not found\n") });
    const failure = new Client({ transport }).get(Node, "n1");
    await expect(failure).rejects.toThrow(
      "get Node n1: the cluster does not serve this kind or version; is its CustomResourceDefinition installed?",
    );
    await expect(failure).rejects.toSatisfy(isNotFound);
  });

  it("that are cut short are an error, never half an object", async () => {
    const { transport } = scripted({ body: bytes('{"metadata":{"na') });
    await expect(new Client({ transport }).get(Node, "n1")).rejects.toMatchObject({
      name: "ConnectionError",
      problem: "malformed",
    });
  });

  it("to a delete are the object while it goes, and nothing once it is gone", async () => {
    const gone = { apiVersion: "v1", kind: "Status", status: "Success" };
    const { transport } = scripted(
      { body: object({ kind: "Pod", metadata: { name: "a" } }) },
      { body: object(gone) },
    );
    const client = new Client({ transport, defaultNamespace: "x" });
    expect(await client.delete(Pod, "a")).toMatchObject({ metadata: { name: "a" } });
    expect(await client.delete(Pod, "a")).toBeUndefined();
  });

  it("to a list carry the kind on each item", async () => {
    const { transport } = scripted({
      body: object({ kind: "PodList", metadata: { resourceVersion: "7" }, items: [{ metadata: {} }] }),
    });
    const list = await new Client({ transport }).list(Pod);
    expect(list.items).toEqual([{ apiVersion: "v1", kind: "Pod", metadata: {} }]);
    expect(list.metadata.resourceVersion).toBe("7");
  });

  it("deliver each warning once", async () => {
    const warning = ['299 - "old \\"kind\\""', '299 - "other", 199 - "not this"'];
    const answer = { headers: { warning }, body: object({}) };
    const { transport } = scripted(answer, answer);
    const warnings: string[] = [];
    const client = new Client({ transport, onWarning: (text) => warnings.push(text) });
    await client.get(Node, "a");
    await client.get(Node, "a");
    expect(warnings).toEqual(['old "kind"', "other"]);
  });
});

describe("Client items", () => {
  it("reads page after page, and drops the version after the first", async () => {
    const page = (names: string[], next: string) => ({
      body: object({ metadata: { continue: next }, items: names.map((name) => ({ metadata: { name } })) }),
    });
    const { transport, requests } = scripted(page(["a", "b"], "more"), page(["c"], ""));
    const names: (string | undefined)[] = [];
    for await (const pod of new Client({ transport }).items(Pod, { pageSize: 2, resourceVersion: "0" })) {
      names.push(pod.metadata?.name);
    }
    expect(names).toEqual(["a", "b", "c"]);
    expect(requests.map(urlOf)).toEqual([
      "GET /api/v1/pods?resourceVersion=0&limit=2",
      "GET /api/v1/pods?limit=2&continue=more",
    ]);
  });

  const expired = {
    status: 410,
    body: object({ kind: "Status", reason: "Expired", code: 410, metadata: { continue: "today" } }),
  };
  const pageOf = (name: string, next: string) => ({
    body: object({ metadata: { continue: next }, items: [{ metadata: { name } }] }),
  });
  const namesOf = async (items: AsyncIterable<Pod>): Promise<(string | undefined)[]> => {
    const names: (string | undefined)[] = [];
    for await (const pod of items) names.push(pod.metadata?.name);
    return names;
  };

  it("goes on with what is there now when the moment of the first page is forgotten", async () => {
    const { transport, requests } = scripted(pageOf("a", "old"), expired, pageOf("b", ""));
    expect(await namesOf(new Client({ transport }).items(Pod))).toEqual(["a", "b"]);
    expect(requests.map(urlOf).at(-1)).toBe("GET /api/v1/pods?limit=500&continue=today");
  });

  it("fails instead when all must be of one moment, and when even the new token is refused", async () => {
    const strict = scripted(pageOf("a", "old"), expired);
    const items = new Client({ transport: strict.transport }).items(Pod, { consistent: true });
    await expect(namesOf(items)).rejects.toMatchObject({ code: 410, continueToken: "today" });
    const { transport } = scripted(pageOf("a", "old"), expired, expired);
    await expect(namesOf(new Client({ transport }).items(Pod))).rejects.toMatchObject({ code: 410 });
  });
});

describe("Client watch", () => {
  it("yields events that were never encoded as they are", async () => {
    async function* events() {
      yield { type: "ADDED", object: pod } as const;
    }
    const pod = Object.freeze({ metadata: { name: "a" } });
    const { transport, requests } = scripted({ body: { kind: "events", events: events() } });
    const seen: unknown[] = [];
    for await (const event of new Client({ transport }).watch(Pod, {
      namespace: "x",
      resourceVersion: "3",
    })) {
      seen.push(event.object);
    }
    expect(seen[0]).toBe(pod);
    expect(requests[0]).toMatchObject({ stream: true });
    expect(urlOf(requests[0]!)).toBe("GET /api/v1/namespaces/x/pods?watch=true&resourceVersion=3");
  });

  it("throws what an ERROR event reports", async () => {
    const gone = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
    const { transport } = scripted({ body: bytes(`${JSON.stringify({ type: "ERROR", object: gone })}\n`) });
    const watch = new Client({ transport }).watch(Pod);
    const failure = watch.next();
    await expect(failure).rejects.toBeInstanceOf(ApiError);
    await expect(failure).rejects.toMatchObject({ code: 410, reason: "Expired" });
  });
});
