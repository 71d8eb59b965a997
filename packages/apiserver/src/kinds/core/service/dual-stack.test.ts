import { describe, expect, it } from "vitest";
import { type Answer, kindServer } from "../../fixtures/kind-server.js";

const path = "/api/v1/namespaces/test/services";
const ipv6 = "fd00:10:96::/112";
const both = { serviceRanges: ["10.96.0.0/16", ipv6] };

const service = (spec: object, name = "s") => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

const families = ({ body }: Answer) =>
  (body.spec.clusterIPs ?? []).map((ip: string) => (ip.includes(":") ? "IPv6" : "IPv4"));

describe("dual-stack cluster", () => {
  it("has both ranges in the ServiceCIDR kubernetes", async () => {
    const { call } = await kindServer(both);
    const { body } = await call("GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes");
    expect(body.spec.cidrs).toEqual(both.serviceRanges);
    const own = await call("GET", "/api/v1/namespaces/default/services/kubernetes");
    expect(own.body.spec).toMatchObject({ clusterIPs: ["10.96.0.1"], ipFamilyPolicy: "SingleStack" });
  });

  it.each([
    [{}, ["IPv4"], "SingleStack"],
    [{ ipFamilyPolicy: "PreferDualStack" }, ["IPv4", "IPv6"], "PreferDualStack"],
    [{ ipFamilyPolicy: "RequireDualStack" }, ["IPv4", "IPv6"], "RequireDualStack"],
    [{ ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6"] }, ["IPv6", "IPv4"], "RequireDualStack"],
    [{ ipFamilies: ["IPv6"] }, ["IPv6"], "SingleStack"],
    [{ clusterIP: "fd00:10:96::77" }, ["IPv6"], "SingleStack"],
    [
      { ipFamilyPolicy: "PreferDualStack", clusterIP: "fd00:10:96::77", clusterIPs: ["fd00:10:96::77"] },
      ["IPv6", "IPv4"],
      "PreferDualStack",
    ],
  ])("gives a Service with %j addresses of %j", async (spec, expected, policy) => {
    const { call } = await kindServer(both);
    const answer = await call("POST", path, service(spec));
    expect(answer.status).toBe(201);
    expect(families(answer)).toEqual(expected);
    expect(answer.body.spec).toMatchObject({
      ipFamilies: expected,
      ipFamilyPolicy: policy,
      clusterIP: answer.body.spec.clusterIPs[0],
    });
    for (const ip of answer.body.spec.clusterIPs) {
      const { body } = await call("GET", `/apis/networking.k8s.io/v1/ipaddresses/${ip}`);
      expect(body).toMatchObject({
        metadata: { labels: { "ipaddress.kubernetes.io/ip-family": ip.includes(":") ? "IPv6" : "IPv4" } },
        spec: { parentRef: { resource: "services", namespace: "test", name: "s" } },
      });
    }
  });

  it.each([
    [{ ipFamilies: ["IPv4", "IPv6"] }, "spec.ipFamilyPolicy"],
    [{ ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4", "IPv6"] }, "spec.ipFamilyPolicy"],
    [{ clusterIP: "fd00:10:96::", ipFamilies: ["IPv6"] }, "spec.clusterIPs"],
    [{ clusterIP: "fd00:11::1" }, "spec.clusterIPs"],
    [{ clusterIP: "10.96.0.1", ipFamilies: ["IPv6"] }, "spec.clusterIPs[0]"],
  ])("refuses %j at %s", async (spec, field) => {
    const { call, fields } = await kindServer(both);
    expect(fields(await call("POST", path, service(spec)))).toEqual([field]);
  });

  it("adds a secondary address on request, and releases it", async () => {
    const { call, patch } = await kindServer(both);
    const [first] = (await call("POST", path, service({}))).body.spec.clusterIPs;
    const dual = await patch(`${path}/s`, { spec: { ipFamilyPolicy: "RequireDualStack" } });
    const [kept, second] = dual.body.spec.clusterIPs;
    expect([kept, families(dual)]).toEqual([first, ["IPv4", "IPv6"]]);
    const address = `/apis/networking.k8s.io/v1/ipaddresses/${second}`;
    expect((await call("GET", address)).status).toBe(200);
    const single = await patch(`${path}/s`, { spec: { ipFamilyPolicy: "SingleStack" } });
    expect(single.body.spec).toMatchObject({ clusterIPs: [first], ipFamilies: ["IPv4"] });
    expect((await call("GET", address)).status).toBe(404);
  });

  it("allocates the secondary address that is named", async () => {
    const { call, patch } = await kindServer(both);
    const [first] = (await call("POST", path, service({}))).body.spec.clusterIPs;
    const clusterIPs = [first, "fd00:10:96::99"];
    const { body } = await patch(`${path}/s`, { spec: { ipFamilyPolicy: "PreferDualStack", clusterIPs } });
    expect(body.spec).toMatchObject({ clusterIPs, ipFamilies: ["IPv4", "IPv6"] });
    const taken = await call("POST", path, service({ clusterIP: "fd00:10:96::99" }, "t"));
    expect(taken.body.message).toContain("provided IP is already allocated");
  });

  it("refuses to release the secondary address without ipFamilyPolicy SingleStack", async () => {
    const { call, patch, causes } = await kindServer(both);
    const { body } = await call("POST", path, service({ ipFamilyPolicy: "PreferDualStack" }));
    const clusterIPs = body.spec.clusterIPs.slice(0, 1);
    expect(causes(await patch(`${path}/s`, { spec: { clusterIPs } }))).toEqual([
      "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be 'SingleStack' to release the secondary cluster IP",
    ]);
    expect((await patch(`${path}/s`, { metadata: { labels: { a: "b" } } })).body.spec.clusterIPs).toEqual(
      body.spec.clusterIPs,
    );
  });

  it("releases both addresses when a Service is deleted or becomes an ExternalName", async () => {
    const { call, patch } = await kindServer(both);
    const list = async () => (await call("GET", "/apis/networking.k8s.io/v1/ipaddresses")).body.items.length;
    const before = await list();
    await call("POST", path, service({ ipFamilyPolicy: "RequireDualStack" }));
    expect(await list()).toBe(before + 2);
    await patch(`${path}/s`, {
      spec: { type: "ExternalName", externalName: "a.b", clusterIP: null, clusterIPs: null },
    });
    expect(await list()).toBe(before);
    await patch(`${path}/s`, { spec: { type: "ClusterIP", ipFamilyPolicy: "RequireDualStack" } });
    expect(await list()).toBe(before + 2);
    await call("DELETE", `${path}/s`);
    expect(await list()).toBe(before);
  });
});

describe("single-stack cluster", () => {
  it("can be one of IPv6", async () => {
    const { call, causes } = await kindServer({ serviceRanges: [ipv6] });
    expect(families(await call("POST", path, service({})))).toEqual(["IPv6"]);
    expect(causes(await call("POST", path, service({ ipFamilies: ["IPv4"] }, "t")))).toEqual([
      'spec.ipFamilies[0]: Invalid value: "IPv4": not configured on this cluster',
    ]);
  });

  it("PreferDualStack gets the one family that the cluster has", async () => {
    const { call } = await kindServer();
    expect(families(await call("POST", path, service({ ipFamilyPolicy: "PreferDualStack" })))).toEqual([
      "IPv4",
    ]);
  });

  it("refuses service ranges that are invalid, or two of one family", async () => {
    await expect(kindServer({ serviceRanges: ["10.0.0.0"] })).rejects.toThrow(/no range/);
    await expect(kindServer({ serviceRanges: ["10.0.0.0/16", "10.1.0.0/16"] })).rejects.toThrow(/families/);
  });
});
