import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../../storage/index.js";
import { kindServer } from "../../fixtures/kind-server.js";

const path = "/api/v1/namespaces/test/services";
const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
const service = (name: string, spec: object) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec,
});
const ports = [{ port: 80 }];

describe("new Service", () => {
  it("gets a cluster IP with an IPAddress that lasts until it is deleted", async () => {
    const { call } = await kindServer();
    const { spec } = (await call("POST", path, service("a", { ports }))).body;
    expect(spec).toMatchObject({
      clusterIP: expect.stringMatching(/^10\.96\./),
      clusterIPs: [spec.clusterIP],
      type: "ClusterIP",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
      sessionAffinity: "None",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
    });
    expect((await call("GET", `${addresses}/${spec.clusterIP}`)).body.spec.parentRef).toEqual({
      resource: "services",
      namespace: "test",
      name: "a",
    });
    expect((await call("DELETE", `${path}/a`)).body.kind).toBe("Service");
    expect((await call("GET", `${addresses}/${spec.clusterIP}`)).status).toBe(404);
  });

  it("gets the cluster IP it asks for, once", async () => {
    const { call, causes } = await kindServer();
    expect((await call("POST", path, service("a", { ports, clusterIP: "10.96.7.7" }))).status).toBe(201);
    expect(causes(await call("POST", path, service("b", { ports, clusterIP: "10.96.7.7" })))).toEqual([
      'spec.clusterIPs: Invalid value: ["10.96.7.7"]: failed to allocate IP 10.96.7.7: provided IP is already allocated',
    ]);
    await call("DELETE", `${path}/a`);
    expect((await call("POST", path, service("b", { ports, clusterIP: "10.96.7.7" }))).status).toBe(201);
  });

  it.each([
    ["10.97.0.1", "the provided network does not match the current range"],
    [
      "10.96.255.255",
      "the provided IP (10.96.255.255) is not in the valid range. The range of valid IPs is 10.96.0.0/16",
    ],
  ])("is refused with cluster IP %s outside of the range", async (clusterIP, why) => {
    const { call, causes } = await kindServer();
    expect(causes(await call("POST", path, service("a", { ports, clusterIP })))).toEqual([
      `spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: ${why}`,
    ]);
  });

  it("allocates nothing when it is refused or sent with dryRun", async () => {
    const { call } = await kindServer();
    const before = (await call("GET", addresses)).body.items.length;
    const asked = { ports: [{ port: 0, nodePort: 30_500 }], type: "NodePort", clusterIP: "10.96.7.7" };
    expect((await call("POST", path, service("a", asked))).status).toBe(422);
    const fine = { ...asked, ports: [{ port: 1, nodePort: 30_500 }] };
    expect((await call("POST", path, service("a", fine), { query: { dryRun: "All" } })).status).toBe(201);
    expect((await call("GET", addresses)).body.items).toHaveLength(before);
    expect((await call("POST", path, service("a", fine))).status).toBe(201);
  });

  it.each([
    ["headless", { clusterIP: "None", selector: { a: "b" } }, { clusterIPs: ["None"], ipFamilies: ["IPv4"] }],
    [
      "headless without a selector",
      { clusterIP: "None" },
      { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" },
    ],
    ["rather dual-stack", { ipFamilyPolicy: "PreferDualStack" }, { ipFamilies: ["IPv4"] }],
    [
      "local load balancer",
      { type: "LoadBalancer", externalTrafficPolicy: "Local" },
      { healthCheckNodePort: expect.any(Number), allocateLoadBalancerNodePorts: true },
    ],
    [
      "sticky",
      { sessionAffinity: "ClientIP" },
      { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } },
    ],
  ])("gets the defaults of %s", async (_, spec, expected) => {
    const { call } = await kindServer();
    expect((await call("POST", path, service("a", { ports, ...spec }))).body.spec).toMatchObject(expected);
  });

  it("shares a node port between protocols", async () => {
    const { call } = await kindServer();
    const both = [
      { name: "t", port: 53, protocol: "TCP" },
      { name: "u", port: 53, protocol: "UDP" },
    ];
    const { spec } = (await call("POST", path, service("dns", { type: "NodePort", ports: both }))).body;
    expect(spec.ports[0].nodePort).toBe(spec.ports[1].nodePort);
  });

  it.each([
    [{ ports: [{ port: 70_000 }] }, ["spec.ports[0].port", "spec.ports[0].targetPort"]],
    [{ ports: [{ port: 1 }, { port: 2 }] }, ["spec.ports[0].name", "spec.ports[1].name"]],
    [{ ports: [{ port: 1, nodePort: 30_001 }] }, ["spec.ports[0].nodePort"]],
    [{ ports, ipFamilyPolicy: "RequireDualStack" }, ["spec.ipFamilyPolicy"]],
    [{ ports, ipFamilies: ["IPv6"] }, ["spec.ipFamilies[0]"]],
    [{ ports, clusterIP: "fd00::1" }, ["spec.clusterIPs[0]"]],
    [{ ports, clusterIPs: ["10.96.0.9"] }, ["spec.clusterIPs"]],
    [{ ports, clusterIP: "10.96.0.010" }, ["spec.clusterIPs[0]"]],
    [
      { type: "ExternalName", externalName: "UPPER", clusterIP: "None" },
      ["spec.clusterIPs", "spec.externalName"],
    ],
    [{ ports, type: "NodePort", clusterIP: "None" }, ["spec.clusterIPs[0]"]],
    [{ ports, loadBalancerClass: "a.example/b" }, ["spec.loadBalancerClass"]],
    [{ ports, loadBalancerSourceRanges: ["10.0.0.0/8"] }, ["spec.LoadBalancerSourceRanges"]],
    [{ ports, externalIPs: ["127.0.0.1"] }, ["spec.externalIPs[0]"]],
    [{ ports, externalTrafficPolicy: "Local" }, ["spec.externalTrafficPolicy"]],
    [{ ports, trafficDistribution: "Never" }, ["spec.trafficDistribution"]],
    [{ ports, sessionAffinity: "Cookie" }, ["spec.sessionAffinity"]],
    [
      { ports, sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } },
      ["spec.sessionAffinityConfig.clientIP.timeoutSeconds"],
    ],
  ])("is refused with %j", async (spec, fields) => {
    const { call } = await kindServer();
    const { status, body } = await call("POST", path, service("a", spec));
    expect([status, body.details?.causes.map(({ field }: { field: string }) => field)]).toEqual([
      422,
      fields,
    ]);
  });

  it("warns of deprecated fields", async () => {
    const { call } = await kindServer();
    const { warnings } = await call("POST", path, service("a", { ports, externalIPs: ["192.0.2.1"] }));
    expect(warnings.join()).toContain("spec.externalIPs is deprecated");
  });
});

describe("changed Service", () => {
  const created = async (spec: object) => {
    const server = await kindServer();
    const { body } = await server.call("POST", path, service("a", spec));
    return { ...server, before: body.spec };
  };

  it("keeps cluster IP and node ports that a PUT leaves out", async () => {
    const { call, before } = await created({ ports, type: "NodePort" });
    const { body } = await call(
      "PUT",
      `${path}/a`,
      service("a", { ports: [{ port: 81 }], type: "NodePort" }),
    );
    expect(body.spec.clusterIP).toBe(before.clusterIP);
    expect(body.spec.ports[0]).toMatchObject({ port: 81, nodePort: before.ports[0].nodePort });
  });

  it("releases node ports when its type needs none", async () => {
    const { call, patch, before } = await created({ ports, type: "NodePort" });
    const { body } = await patch(`${path}/a`, { spec: { type: "ClusterIP" } });
    expect(body.spec.ports[0].nodePort).toBeUndefined();
    expect(body.spec.externalTrafficPolicy).toBeUndefined();
    const { nodePort } = before.ports[0];
    const other = await call(
      "POST",
      path,
      service("b", { ports: [{ port: 1, nodePort }], type: "NodePort" }),
    );
    expect(other.status).toBe(201);
  });

  it("can become an ExternalName and get a cluster IP again", async () => {
    const { call, patch, before } = await created({ ports });
    const alias = await patch(`${path}/a`, { spec: { type: "ExternalName", externalName: "x.example" } });
    expect(alias.body.spec).toEqual({
      type: "ExternalName",
      externalName: "x.example",
      sessionAffinity: "None",
      ports: before.ports,
    });
    expect((await call("GET", `${addresses}/${before.clusterIP}`)).status).toBe(404);
    const back = await patch(`${path}/a`, { spec: { type: "ClusterIP", externalName: null } });
    expect(back.body.spec.clusterIP).toMatch(/^10\.96\./);
  });

  it("refuses another cluster IP", async () => {
    const { patch, causes } = await created({ ports });
    expect(causes(await patch(`${path}/a`, { spec: { clusterIP: "10.96.9.9" } }))).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.96.9.9"]: may not change once set',
    ]);
  });

  it("refuses duplicate node ports with status 500", async () => {
    const twice = [
      { name: "a", port: 1, nodePort: 30_001 },
      { name: "b", port: 2, nodePort: 30_001 },
    ];
    const { patch } = await created({ ports });
    const { status, body } = await patch(`${path}/a`, { spec: { type: "NodePort", ports: twice } });
    expect([status, body.message]).toEqual([500, "duplicate nodePort: {TCP 30001}"]);
  });

  it("validates the addresses of its load balancer status", async () => {
    const { call, causes } = await created({ ports, type: "LoadBalancer" });
    const report = (ingress: object[]) =>
      call(
        "PATCH",
        `${path}/a/status`,
        { status: { loadBalancer: { ingress } } },
        { contentType: "application/merge-patch+json" },
      );
    expect((await report([{ ip: "192.0.2.1" }])).body.status.loadBalancer.ingress[0].ipMode).toBe("VIP");
    expect((await report([{ ip: "2001:DB8::1" }])).warnings).toEqual([
      '299 - "status.loadBalancer.ingress[0]: IPv6 address \\"2001:DB8::1\\" should be in RFC 5952 canonical format (\\"2001:db8::1\\")"',
    ]);
    expect(causes(await report([{ hostname: "192.0.2.1" }]))).toEqual([
      'status.loadBalancer.ingress[0].hostname: Invalid value: "192.0.2.1": must be a DNS name, not an IP address',
    ]);
  });
});

describe("restarted server", () => {
  it("knows the allocated node ports", async () => {
    const storage = new MemoryStorage();
    const first = await kindServer({ storage });
    const { spec } = (await first.call("POST", path, service("a", { ports, type: "NodePort" }))).body;
    const { call, causes } = await kindServer({ storage });
    const { nodePort } = spec.ports[0];
    const twin = await call("POST", path, service("b", { ports: [{ port: 1, nodePort }], type: "NodePort" }));
    expect(causes(twin)).toEqual([
      `spec.ports[0].nodePort: Invalid value: ${nodePort}: provided port is already allocated`,
    ]);
  });

  it("recreates missing IPAddresses of Services", async () => {
    const storage = new MemoryStorage();
    const first = await kindServer({ storage });
    const { spec } = (await first.call("POST", path, service("a", { ports }))).body;
    storage.delete("networking.k8s.io/ipaddresses", spec.clusterIP, "any");
    const { call } = await kindServer({ storage });
    expect((await call("GET", `${addresses}/${spec.clusterIP}`)).status).toBe(200);
  });
});
