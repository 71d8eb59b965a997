import { Deployment, Ingress, Service } from "@kubewright/api";
import { type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { Application } from "../api/v1/application.js";
import { applicationController } from "./application.js";

const options = { resources: [Application], controllers: [applicationController] };
const namespace = "default";
const deployment = { image: "nginx:1.27" };
const ingress = { rules: [{ host: "shop.example.com" }] };
const change = (cluster: TestCluster, spec: object) =>
  cluster.client.patch(Application, "shop", { merge: { spec } }, { namespace });

describe("an Application", () => {
  test("has a Service on 8080 and no Ingress by default", async () => {
    await using cluster = await testCluster(options);
    await cluster.create(Application, { name: "shop", spec: { deployment } });
    await cluster.condition(Application, "shop", "Available");
    expect((await cluster.get(Service, "shop")).spec).toMatchObject({
      type: "ClusterIP",
      ports: [{ port: 8080, targetPort: 8080 }],
    });
    await cluster.eventuallyGone(Ingress, "shop");
    expect((await cluster.get(Application, "shop")).status).toMatchObject({
      deployment: { ready: true },
      service: { ready: true },
      url: "http://shop.default.svc:8080",
    });
    expect(cluster.errors).toEqual([]);
  });

  test("has an Ingress with the hosts of its rules, and owns its Deployment, Service and Ingress", async () => {
    await using cluster = await testCluster(options);
    const tls = [{ hosts: ["shop.example.com"], secretName: "shop-tls" }];
    await cluster.create(Application, { name: "shop", spec: { deployment, ingress: { ...ingress, tls } } });
    const made = await cluster.eventually(Ingress, "shop");
    expect(made.spec?.rules?.[0]?.http?.paths).toEqual([
      { path: "/", pathType: "Prefix", backend: { service: { name: "shop", port: { number: 8080 } } } },
    ]);
    await cluster.eventually(
      Application,
      "shop",
      ({ status }) => status?.url === "https://shop.example.com/",
    );
    await cluster.delete(Application, "shop");
    for (const kind of [Deployment, Service, Ingress] as const)
      await cluster.eventuallyGone(kind as typeof Service, "shop");
  });

  test.each([
    ["ingress", { ingress: { enabled: false } }, Ingress],
    ["ingress without rules", { ingress: { rules: null } }, Ingress],
    ["service", { service: { enabled: false } }, Service],
    ["deployment", { deployment: { enabled: false } }, Deployment],
  ])("loses its %s when that is switched off, and nothing else", async (_, off, kind) => {
    await using cluster = await testCluster(options);
    await cluster.create(Application, { name: "shop", spec: { deployment, ingress } });
    await cluster.condition(Application, "shop", "Available");
    await change(cluster, off);
    await cluster.eventuallyGone(kind as typeof Service, "shop");
    const left = ([Deployment, Service, Ingress] as const).filter((each) => each !== kind);
    for (const each of left) await cluster.get(each as typeof Service, "shop");
    expect(cluster.errors).toEqual([]);
  });

  test("reports which part is not ready, with the reason", async () => {
    await using cluster = await testCluster({ ...options, leaks: "ignore" });
    const spec = { deployment: { image: "registry.example/does-not-exist:1" } };
    await cluster.create(Application, { name: "shop", spec });
    const { status } = (await cluster.condition(Application, "shop", "Degraded"))!;
    expect(status?.conditions?.find(({ type }) => type === "Degraded")).toMatchObject({
      reason: "ImagePullFailed",
      message: expect.stringContaining("check its name and the pull secrets"),
    });
    expect(status?.deployment).toMatchObject({ ready: false });
    await change(cluster, { deployment });
    await cluster.condition(Application, "shop", "Degraded", "False");
  });

  test("creates its other parts when the name of one is taken, and heals once it is free", async () => {
    await using cluster = await testCluster(options);
    await cluster.create(Service, { name: "shop", spec: { ports: [{ port: 1 }] } });
    await cluster.create(Application, { name: "shop", spec: { deployment, ingress } });
    const { status } = (await cluster.condition(Application, "shop", "Degraded"))!;
    expect(status?.conditions?.find(({ type }) => type === "Degraded")?.reason).toBe("NameTaken");
    await cluster.eventually(Deployment, "shop");
    await cluster.eventually(Ingress, "shop");
    await cluster.delete(Service, "shop");
    await cluster.condition(Application, "shop", "Degraded", "False");
    expect((await cluster.get(Service, "shop")).spec?.ports?.[0]?.port).toBe(8080);
  });

  test("is not ready when its Deployment belongs to another owner, while its other parts are", async () => {
    await using cluster = await testCluster(options);
    const labels = { app: "theirs" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "theirs:1" }] } };
    await cluster.create(Deployment, { name: "shop", spec: { selector: { matchLabels: labels }, template } });
    await cluster.create(Application, { name: "shop", spec: { deployment } });
    const { status } = (await cluster.condition(Application, "shop", "Available", "False"))!;
    expect(status?.deployment).toMatchObject({
      ready: false,
      message: expect.stringContaining("left alone"),
    });
    expect(status?.service).toEqual({ ready: true });
  });

  test("has an Ingress that is ready when a controller has given it an address", async () => {
    await using cluster = await testCluster(options);
    const spec = { deployment, ingress: { ...ingress, ingressClassName: "nginx" } };
    await cluster.create(Application, { name: "shop", spec });
    const waiting = await cluster.eventually(
      Application,
      "shop",
      ({ status }) => status?.ingress !== undefined,
    );
    expect(waiting.status?.ingress).toEqual({
      ready: false,
      message: "it has no address yet: no ingress controller of class nginx has taken it up",
    });
    const loadBalancer = { ingress: [{ ip: "192.0.2.1" }] };
    await cluster.client.patch(
      Ingress,
      "shop",
      { merge: { status: { loadBalancer } } },
      { namespace, subresource: "status" },
    );
    await cluster.eventually(Application, "shop", ({ status }) => status?.ingress?.ready === true);
  });

  test("has no URL when its Ingress refers to a Service it does not have", async () => {
    await using cluster = await testCluster(options);
    const spec = { deployment, ingress, service: { enabled: false } };
    await cluster.create(Application, { name: "shop", spec });
    const { status } = await cluster.eventually(
      Application,
      "shop",
      (app) => app.status?.ingress !== undefined,
    );
    expect(status?.ingress).toEqual({
      ready: false,
      message: "it leads to Service shop, which the Application does not have",
    });
    expect(status?.url).toBeUndefined();
    expect(status?.host).toBe("shop.example.com");
  });

  test("has a URL made of the host and path of one rule", async () => {
    await using cluster = await testCluster(options);
    const backend = { service: { name: "shop", port: { number: 8080 } } };
    const at = (path: string) => ({ paths: [{ path, pathType: "Prefix" as const, backend }] });
    const rules = [
      { http: at("/any") },
      { host: "*.example.com", http: at("/wild") },
      { host: "a.example.com", http: at("/a") },
    ];
    const tls = [{ hosts: ["*.example.com"], secretName: "wildcard" }];
    await cluster.create(Application, { name: "shop", spec: { deployment, ingress: { rules, tls } } });
    await cluster.eventually(Application, "shop", ({ status }) => status?.url === "https://a.example.com/a");
  });
});
