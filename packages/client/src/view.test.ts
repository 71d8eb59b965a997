import { Deployment, Pod, Secret } from "@kubewright/api";
import { describe, expect, expectTypeOf, it } from "vitest";
import { Client } from "./client.js";
import { object, scripted, urlOf } from "./fixtures/scripted-transport.js";
import { metadataOnly, type PartialObjectMetadata } from "./view.js";

const secret = metadataOnly(Secret);
const whole = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { password: "x" } };
const partial = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: { name: "a" } };
const expected = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };

describe("client view of metadata alone", () => {
  it.each([
    ["a server that can reduce", partial],
    ["a server that sends the whole", whole],
  ])("is what comes from %s", async (_what, answer) => {
    async function* events() {
      yield { type: "ADDED", object: answer } as const;
    }
    const { transport, requests } = scripted(
      { body: object(answer) },
      { body: object({ metadata: {}, items: [answer] }) },
      { body: { kind: "events", events: events() } },
    );
    const client = new Client({ transport, defaultNamespace: "shop" });
    const one = await client.get(secret, "a");
    expectTypeOf(one).toEqualTypeOf<PartialObjectMetadata>();
    expect(one).toEqual(expected);
    expect((await client.list(secret)).items).toEqual([expected]);
    for await (const event of client.watch(secret))
      expect(event).toEqual({ type: "ADDED", object: expected });
    expect(requests.map(({ headers }) => headers?.["accept"])).toEqual([
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
    ]);
  });
});

describe("other client views", () => {
  it("asks for a table of a collection or of one object", async () => {
    const table = { columnDefinitions: [{ name: "Name" }], rows: [{ cells: ["a"] }] };
    const { transport, requests } = scripted({ body: object(table) });
    const client = new Client({ transport });
    expect((await client.table(Pod, { namespace: "x", includeObject: "None" })).rows[0]?.cells).toEqual([
      "a",
    ]);
    await client.table(Pod, { namespace: "x", name: "web" });
    expect(requests.map(urlOf)).toEqual([
      "GET /api/v1/namespaces/x/pods?includeObject=None",
      "GET /api/v1/namespaces/x/pods/web",
    ]);
    expect(requests[0]!.headers?.["accept"]).toBe("application/json;as=Table;g=meta.k8s.io;v=v1");
  });

  it("reads and sets the scale of anything", async () => {
    const { transport, requests } = scripted({ body: object({ kind: "Scale", spec: { replicas: 3 } }) });
    const client = new Client({ transport, fieldManager: "t" });
    const where = { namespace: "x" };
    expect((await client.getScale(Deployment, "web", where)).spec?.replicas).toBe(3);
    await client.scale(Deployment, "web", 5, where);
    expect(requests.map(urlOf)).toEqual([
      "GET /apis/apps/v1/namespaces/x/deployments/web/scale",
      "PATCH /apis/apps/v1/namespaces/x/deployments/web/scale?fieldManager=t",
    ]);
    expect(requests[1]!.body).toEqual({ kind: "object", value: { spec: { replicas: 5 } } });
  });

  it("asks for the token of a service account", async () => {
    const { transport, requests } = scripted({ body: object({ status: { token: "t" } }) });
    const client = new Client({ transport, fieldManager: "t" });
    const { status } = await client.createToken("bot", { audiences: ["a"] }, { namespace: "x" });
    expect(status?.token).toBe("t");
    expect(urlOf(requests[0]!)).toBe("POST /api/v1/namespaces/x/serviceaccounts/bot/token?fieldManager=t");
    expect(requests[0]!.body).toMatchObject({ value: { kind: "TokenRequest", spec: { audiences: ["a"] } } });
  });

  it("calls any path, for JSON or text", async () => {
    const { transport } = scripted(
      { body: object({ gitVersion: "v1.36.0" }) },
      { body: { kind: "bytes", bytes: Buffer.from("ok") } },
    );
    const client = new Client({ transport });
    expect(await client.raw("/version")).toEqual({ gitVersion: "v1.36.0" });
    expect(await client.raw("/readyz")).toBe("ok");
  });
});
