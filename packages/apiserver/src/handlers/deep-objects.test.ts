import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ApiServer, createApiServer } from "../server.js";

const widgets = "/apis/example.com/v1/namespaces/default/widgets";
const administrator = {
  certificate: { commonName: "admin", organizations: ["system:masters"], fingerprint: "" },
};
const definition = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const nested = (depth: number, value = "1"): string => `${'{"a":'.repeat(depth)}${value}${"}".repeat(depth)}`;
const widget = (depth: number, value?: string): string =>
  `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"deep"},"spec":${nested(depth, value)}}`;

describe("an object nested nearly as deep as the decoder accepts", () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = createApiServer({ disableAdmission: ["ServiceAccount"] });
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    expect(await send("POST", path, JSON.stringify(definition))).toBe(201);
    await vi.waitFor(async () => expect(await send("GET", widgets)).toBe(200));
  });
  afterAll(() => server.close());

  const send = async (
    method: "POST" | "PATCH" | "GET" | "DELETE",
    path: string,
    text = "",
    type = "application/json",
  ) => {
    const body = text === "" ? undefined : ({ kind: "bytes", bytes: Buffer.from(text) } as const);
    const headers = { "content-type": type };
    return (
      await server.handle(
        { method, path, headers, body, query: new URLSearchParams({ fieldManager: "tester" }) },
        administrator,
      )
    ).status;
  };

  it("is created, read, patched, applied and deleted", async () => {
    expect(await send("POST", widgets, widget(500))).toBe(201);
    expect(await send("GET", widgets)).toBe(200);
    const one = `${widgets}/deep`;
    const merge = "application/merge-patch+json";
    expect(await send("PATCH", one, `{"spec":${nested(500, "2")}}`, merge)).toBe(200);
    expect(
      await send(
        "PATCH",
        `${one}`,
        `[{"op":"copy","from":"/spec","path":"/other"}]`,
        "application/json-patch+json",
      ),
    ).toBe(200);
    expect(await send("PATCH", one, widget(500, "2"), "application/apply-patch+yaml")).toBe(200);
    expect(await send("DELETE", one)).toBe(200);
  });

  it("is refused when it is deeper", async () => {
    expect(await send("POST", widgets, widget(520))).toBe(400);
    expect(await send("POST", widgets, `[${"[".repeat(1_000_000)}`)).toBe(400);
  });

  it("cannot be made ever deeper by patches", async () => {
    expect(await send("POST", widgets, widget(250))).toBe(201);
    const path = `${widgets}/deep`;
    const inside = "/a".repeat(249);
    for (let round = 1; round < 5; round++) {
      const target = `/spec${inside.repeat(round)}/a`;
      const patch = `[{"op":"add","path":"${target}","value":${nested(250)}}]`;
      expect([200, 400, 422]).toContain(await send("PATCH", path, patch, "application/json-patch+json"));
    }
    expect(await send("GET", path)).toBe(200);
    expect(await send("DELETE", path)).toBe(200);
  });
});
