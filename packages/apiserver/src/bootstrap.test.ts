import { describe, expect, it } from "vitest";
import { kindServer } from "./kinds/fixtures/kind-server.js";
import { MemoryStorage } from "./storage/index.js";

describe("bootstrap: a new cluster", () => {
  it.each([
    ["/api/v1/namespaces/kube-node-lease", { status: { phase: "Active" } }],
    ["/api/v1/namespaces/default/services/kubernetes", { spec: { clusterIP: "10.96.0.1" } }],
    ["/apis/networking.k8s.io/v1/ipaddresses/10.96.0.1", { spec: { parentRef: { name: "kubernetes" } } }],
    ["/apis/networking.k8s.io/v1/servicecidrs/kubernetes", { spec: { cidrs: ["10.96.0.0/16"] } }],
    ["/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical", { value: 2_000_001_000 }],
    ["/api/v1/namespaces/default/endpoints/kubernetes", { subsets: [{ ports: [{ name: "https" }] }] }],
  ])("has %s", async (path, expected) => {
    const { call } = await kindServer();
    expect((await call("GET", path)).body).toMatchObject(expected);
  });

  it("publishes the address of its API server in an EndpointSlice", async () => {
    const { call, server } = await kindServer();
    server.advertise({ address: "192.0.2.1", port: 16_443 });
    const slice = await call("GET", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes");
    expect(slice.body).toMatchObject({
      endpoints: [{ addresses: ["192.0.2.1"] }],
      ports: [{ port: 16_443 }],
    });
  });

  it("keeps the objects of an earlier run", async () => {
    const storage = new MemoryStorage();
    const first = await kindServer({ storage });
    const before = await first.call("GET", "/api/v1/namespaces/default");
    const { call } = await kindServer({ storage });
    expect((await call("GET", "/api/v1/namespaces/default")).body).toEqual(before.body);
  });
});
