import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const base = "/apis/networking.k8s.io/v1";
const apiVersion = "networking.k8s.io/v1";

describe("NetworkPolicy", () => {
  const path = `${base}/namespaces/test/networkpolicies`;
  const policy = (spec: object) => ({ apiVersion, kind: "NetworkPolicy", metadata: { name: "n" }, spec });

  it.each([
    [{}, ["Ingress"]],
    [{ egress: [{}] }, ["Ingress", "Egress"]],
    [{ policyTypes: ["Egress"] }, ["Egress"]],
  ])("%j defaults to policyTypes %j", async (spec, policyTypes) => {
    const { call } = await kindServer();
    const { body } = await call("POST", path, policy({ podSelector: {}, ...spec }));
    expect(body).toMatchObject({ metadata: { generation: 1 }, spec: { policyTypes } });
  });

  it.each([
    [
      { podSelector: { matchExpressions: [{ key: "a", operator: "Is" }] } },
      ["spec.podSelector.matchExpressions[0].operator"],
    ],
    [{ ingress: [{ ports: [{ port: 0 }] }] }, ["spec.ingress[0].ports[0].port"]],
    [{ ingress: [{ ports: [{ port: 80, endPort: 70 }] }] }, ["spec.ingress[0].ports[0].endPort"]],
    [{ ingress: [{ ports: [{ port: "http", endPort: 70 }] }] }, ["spec.ingress[0].ports[0].endPort"]],
    [{ ingress: [{ ports: [{ endPort: 70 }] }] }, ["spec.ingress[0].ports[0].endPort"]],
    [{ ingress: [{ ports: [{ protocol: "ICMP", port: 1 }] }] }, ["spec.ingress[0].ports[0].protocol"]],
    [{ ingress: [{ from: [{}] }] }, ["spec.ingress[0].from[0]"]],
    [{ egress: [{ to: [{ ipBlock: { cidr: "" } }] }] }, ["spec.egress[0].to[0].ipBlock.cidr"]],
    [{ egress: [{ to: [{ ipBlock: { cidr: "10.0.0.1/8" } }] }] }, ["spec.egress[0].to[0].ipBlock.cidr"]],
    [
      { egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.0.0.0/8", "11.0.0.0/16"] } }] }] },
      ["spec.egress[0].to[0].ipBlock.except[0]", "spec.egress[0].to[0].ipBlock.except[1]"],
    ],
    [{ egress: [{ to: [{ podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }] }] }, ["spec.egress[0].to[0]"]],
    [{ policyTypes: ["Sideways"] }, ["spec.policyTypes[0]"]],
  ])("refuses %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, policy({ podSelector: {}, ...spec })))).toEqual(expected);
  });

  it("counts changes of its spec alone in generation", async () => {
    const { call, patch } = await kindServer();
    await call("POST", path, policy({ podSelector: {} }));
    const labelled = await patch(`${path}/n`, { metadata: { labels: { a: "b" } } });
    expect(labelled.body.metadata.generation).toBe(1);
    const changed = await patch(`${path}/n`, { spec: { podSelector: { matchLabels: { a: "b" } } } });
    expect(changed.body.metadata.generation).toBe(2);
    const defaulted = await patch(`${path}/n`, { spec: { policyTypes: [] } });
    expect(defaulted.body).toMatchObject({ metadata: { generation: 2 }, spec: { policyTypes: ["Ingress"] } });
    const emptied = await patch(`${path}/n`, { spec: { ingress: [] } });
    expect(emptied.body.metadata.generation).toBe(3);
  });
});

describe("Ingress", () => {
  const path = `${base}/namespaces/test/ingresses`;
  const ingress = (spec: object, annotations = {}) => ({
    apiVersion,
    kind: "Ingress",
    metadata: { name: "i", annotations },
    spec,
  });
  const backend = { service: { name: "s", port: { number: 80 } } };
  const withPath = (rest: object) => ({
    rules: [{ http: { paths: [{ backend, pathType: "Prefix", path: "/", ...rest }] } }],
  });
  const at = "spec.rules[0].http.paths[0]";

  it.each([
    [{}, ["spec"]],
    [{ defaultBackend: {} }, ["spec.defaultBackend"]],
    [{ defaultBackend: { service: { name: "s" } } }, ["spec.defaultBackend"]],
    [
      { defaultBackend: { service: { name: "S", port: { name: "http", number: 80 } } } },
      ["spec.defaultBackend.service.name", "spec.defaultBackend"],
    ],
    [
      { defaultBackend: { resource: { kind: "", name: "" } } },
      ["spec.defaultBackend.resource.kind", "spec.defaultBackend.resource.name"],
    ],
    [{ defaultBackend: { ...backend, resource: { kind: "A", name: "b" } } }, ["spec.defaultBackend"]],
    [{ rules: [{ host: "1.2.3.4" }] }, ["spec.rules[0].host"]],
    [{ rules: [{ host: "a.*.example" }] }, ["spec.rules[0].host"]],
    [{ rules: [{ host: "*.example.com" }] }, []],
    [{ rules: [{ http: { paths: [] } }] }, ["spec.rules[0].http.paths"]],
    [withPath({ pathType: undefined }), [`${at}.pathType`]],
    [withPath({ pathType: "Regex" }), [`${at}.pathType`]],
    [withPath({ path: "a" }), [`${at}.path`]],
    [withPath({ path: "/a//b/.." }), [`${at}.path`, `${at}.path`]],
    [withPath({ pathType: "ImplementationSpecific", path: "" }), []],
    [
      { defaultBackend: backend, tls: [{ hosts: ["UP"], secretName: "UP" }] },
      ["spec.tls[0].hosts[0]", "spec.tls[0].secretName"],
    ],
    [{ defaultBackend: backend, ingressClassName: "UP" }, ["spec.ingressClassName"]],
  ])("validates %j: errors at %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, ingress(spec)))).toEqual(expected);
  });

  it("gets the newest of several default classes", async () => {
    const { call } = await kindServer();
    const annotations = { "ingressclass.kubernetes.io/is-default-class": "true" };
    for (const name of ["b", "a"])
      await call("POST", `${base}/ingressclasses`, {
        apiVersion,
        kind: "IngressClass",
        metadata: { name, annotations },
        spec: { controller: "example.com/c" },
      });
    const { body } = await call("POST", path, ingress({ defaultBackend: backend }));
    expect(body.spec.ingressClassName).toBe("a");
  });

  it("warns of the class annotation, and refuses it beside ingressClassName", async () => {
    const { call, fields } = await kindServer();
    const annotations = { "kubernetes.io/ingress.class": "x" };
    const wrong = await call(
      "POST",
      path,
      ingress({ defaultBackend: backend, ingressClassName: "y" }, annotations),
    );
    expect(fields(wrong)).toEqual(["annotations.kubernetes.io/ingress.class"]);
    const { warnings } = await call("POST", path, ingress({ defaultBackend: backend }, annotations));
    expect(warnings.join()).toContain("is deprecated, please use 'spec.ingressClassName' instead");
  });

  it("validates the addresses of its status", async () => {
    const { call, fields } = await kindServer();
    await call("POST", path, ingress({ defaultBackend: backend }));
    const status = { loadBalancer: { ingress: [{ ip: "300.0.0.1" }, { hostname: "x.example" }] } };
    const answer = await call(
      "PATCH",
      `${path}/i/status`,
      { status },
      { contentType: "application/merge-patch+json" },
    );
    expect(fields(answer)).toEqual(["status.loadBalancer.ingress[0].ip"]);
  });
});

describe("IngressClass", () => {
  const path = `${base}/ingressclasses`;
  const ingressClass = (spec: object) => ({
    apiVersion,
    kind: "IngressClass",
    metadata: { name: "c" },
    spec,
  });
  const parameters = { kind: "A", name: "b" };

  it.each([
    [{}, ["spec.controller"]],
    [{ controller: "noslash" }, ["spec.controller"]],
    [
      { controller: "example.com/c", parameters: { ...parameters, namespace: "n" } },
      ["spec.parameters.namespace"],
    ],
    [
      { controller: "example.com/c", parameters: { ...parameters, scope: "Namespace" } },
      ["spec.parameters.namespace"],
    ],
    [
      { controller: "example.com/c", parameters: { ...parameters, scope: "World" } },
      ["spec.parameters.scope"],
    ],
  ])("validates %j: errors at %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, ingressClass(spec)))).toEqual(expected);
  });

  it("refuses another controller", async () => {
    const { call, patch, fields } = await kindServer();
    await call("POST", path, ingressClass({ controller: "example.com/c" }));
    expect(fields(await patch(`${path}/c`, { spec: { controller: "example.com/d" } }))).toEqual([
      "spec.controller",
    ]);
  });
});

describe("ServiceCIDR and IPAddress", () => {
  const cidr = (cidrs: string[]) => ({
    apiVersion,
    kind: "ServiceCIDR",
    metadata: { name: "more" },
    spec: { cidrs },
  });

  it.each([
    [[], ["spec.cidrs"]],
    [["10.0.0.0/24", "10.1.0.0/24"], ["spec.cidrs"]],
    [["10.0.0.0/24", "FD00::/64"], ["spec.cidrs[1]"]],
    [["10.0.0.0/24", "fd00::/64"], []],
  ])("a ServiceCIDR of %j is validated", async (cidrs, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", `${base}/servicecidrs`, cidr(cidrs)))).toEqual(expected);
  });

  it("cluster IPs come from additional ServiceCIDRs too", async () => {
    const { call } = await kindServer();
    await call("POST", `${base}/servicecidrs`, cidr(["10.200.0.0/24"]));
    const { body } = await call("POST", "/api/v1/namespaces/test/services", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "a" },
      spec: { clusterIP: "10.200.0.7", ports: [{ port: 1 }] },
    });
    expect(body.spec.clusterIP).toBe("10.200.0.7");
  });

  it.each([
    ["10.96.0.9", { parentRef: { resource: "services", name: "a" } }, []],
    ["10.96.0.09", { parentRef: { resource: "services", name: "a" } }, ["metadata.name"]],
    ["fd00::0", { parentRef: { resource: "services", name: "a" } }, ["metadata.name"]],
    ["10.96.0.9", {}, ["spec.parentRef"]],
    ["10.96.0.9", { parentRef: {} }, ["spec.parentRef.resource", "spec.parentRef.name"]],
  ])("an IPAddress %s with %j is validated", async (name, spec, expected) => {
    const { call, fields } = await kindServer();
    const body = { apiVersion, kind: "IPAddress", metadata: { name }, spec };
    expect(fields(await call("POST", `${base}/ipaddresses`, body))).toEqual(expected);
  });
});
