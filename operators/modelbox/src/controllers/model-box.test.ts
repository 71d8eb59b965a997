// The seven promises of a ModelBox, kept on a cluster in virtual time.
import { Deployment, HorizontalPodAutoscaler, Pod, Service } from "@kubewright/api";
import { type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { ModelBox } from "../api/v1/model-box.js";
import { ModelBoxPolicy } from "../api/v1/model-box-policy.js";
import { modelBoxController } from "./model-box.js";
import { modelBoxPolicyController } from "./model-box-policy.js";

const options = { resources: [ModelBox, ModelBoxPolicy], controllers: [modelBoxController] };
const spec = { image: "nginx:1.27", replicas: 2, ports: [{ port: 80, targetPort: 8080 }] };
const namespace = "default";

const boxWith = async (cluster: TestCluster, changes: object) => {
  await cluster.create(ModelBox, { name: "web", spec: { ...spec, ...changes } });
  await cluster.condition(ModelBox, "web", "Available");
};
const podSpec = async (cluster: TestCluster) => (await cluster.get(Deployment, "web")).spec!.template.spec!;
const change = (cluster: TestCluster, changes: object) =>
  cluster.client.patch(ModelBox, "web", { merge: { spec: changes } }, { namespace });

describe("the Deployment and the Service of a ModelBox", () => {
  test("are created and owned, and their state is reported", async () => {
    await using cluster = await testCluster(options);
    await boxWith(cluster, { ports: [{ port: 80, targetPort: 8080, nodePort: 30010 }] });
    await cluster.condition(ModelBox, "web", "Progressing", "False");
    const deployment = await cluster.get(Deployment, "web");
    const owner = { kind: "ModelBox", name: "web", controller: true };
    expect(deployment.metadata?.ownerReferences).toMatchObject([owner]);
    expect((await cluster.get(Service, "web")).metadata?.ownerReferences).toMatchObject([owner]);
    expect((await cluster.get(ModelBox, "web")).status).toMatchObject({
      observedGeneration: 1,
      ready: "2/2",
      replicas: 2,
      updatedReplicas: 2,
      availableReplicas: 2,
      selector: "model.github.com/box=web",
      address: "web.default.svc",
      nodePorts: [30010],
    });
    expect(cluster.errors).toEqual([]);
  });

  test("are recreated after a deletion, each by itself, and so are pods", async () => {
    await using cluster = await testCluster(options);
    await boxWith(cluster, {});
    const uidOf = async (kind: typeof Service | typeof Deployment) =>
      (await cluster.client.get(kind as typeof Service, "web", { namespace })).metadata?.uid;
    const [deployment, service] = [await uidOf(Deployment), await uidOf(Service)];
    await cluster.delete(Service, "web");
    await cluster.eventually(Service, "web", ({ metadata }) => metadata?.uid !== service);
    expect(await uidOf(Deployment)).toBe(deployment);
    await cluster.delete(Deployment, "web");
    await cluster.eventually(Deployment, "web", ({ metadata }) => metadata?.uid !== deployment);
    await cluster.condition(ModelBox, "web", "Progressing", "False");
    const [pod] = await cluster.list(Pod);
    await cluster.killPod(pod!.metadata!.name!);
    await cluster.eventually(ModelBox, "web", ({ status }) => status?.availableReplicas === 2);
    expect(cluster.errors).toEqual([]);
  });

  test("are corrected when edited by hand, except for fields the ModelBox does not own", async () => {
    await using cluster = await testCluster(options);
    await boxWith(cluster, {});
    const { clusterIP } = (await cluster.get(Service, "web")).spec!;
    const restarted = { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z" };
    const byHand = {
      spec: {
        replicas: 7,
        template: {
          metadata: { annotations: restarted },
          spec: {
            containers: [
              { name: "web", image: "evil:1" },
              { name: "sidecar", image: "mesh:1" },
            ],
          },
        },
      },
    };
    await cluster.client.patch(Deployment, "web", { strategic: byHand }, { namespace });
    await cluster.client.patch(
      Service,
      "web",
      { merge: { spec: { selector: { app: "other" } } } },
      { namespace },
    );
    await cluster.eventually(Deployment, "web", (deployment) => deployment.spec?.replicas === 2);
    const { template } = (await cluster.get(Deployment, "web")).spec!;
    expect(template.metadata?.annotations).toEqual(restarted);
    expect(template.spec?.containers.map(({ name, image }) => `${name}=${image}`).sort()).toEqual([
      "sidecar=mesh:1",
      "web=nginx:1.27",
    ]);
    const service = await cluster.get(Service, "web");
    expect(service.spec).toMatchObject({ clusterIP, selector: { "model.github.com/box": "web" } });
  });

  test("are deleted with the ModelBox", async () => {
    await using cluster = await testCluster(options);
    await boxWith(cluster, {});
    await cluster.delete(ModelBox, "web");
    await cluster.eventuallyGone(Deployment, "web");
    await cluster.eventuallyGone(Service, "web");
    await cluster.eventually(async () => (await cluster.list(Pod)).length === 0);
  });
});

describe("containers of a ModelBox", () => {
  test("come from its spec and from the policies that select it", async () => {
    await using cluster = await testCluster(options);
    const sleeper = (name: string, command = "sleep 86400") => ({
      name,
      image: "busybox",
      command: ["/bin/sh", "-c", command],
    });
    await cluster.create(ModelBoxPolicy, {
      name: "team",
      spec: {
        selector: { matchLabels: { team: "a" } },
        containers: [sleeper("db-container"), sleeper("own")],
        initContainers: [sleeper("init-container", "sleep 60 && touch /tmp/done")],
      },
    });
    await cluster.create(ModelBox, {
      metadata: { name: "web", labels: { team: "a" } },
      spec: {
        ...spec,
        containers: [{ name: "own", image: "own:1" }],
        initContainers: [sleeper("first", "true")],
      },
    });
    await cluster.create(ModelBox, { name: "other", spec });
    await cluster.condition(ModelBox, "web", "Available");
    const { containers, initContainers = [] } = await podSpec(cluster);
    expect(containers.map(({ name, image }) => `${name}=${image}`)).toEqual([
      "web=nginx:1.27",
      "own=own:1",
      "db-container=busybox",
    ]);
    expect(initContainers.map(({ name }) => name)).toEqual(["first", "init-container"]);
    expect((await cluster.get(Deployment, "other")).spec?.template.spec?.containers).toHaveLength(1);
    await cluster.client.delete(ModelBoxPolicy, "team");
    await cluster.eventually(
      Deployment,
      "web",
      ({ spec: now }) => now?.template.spec?.containers.length === 2,
    );
  });
});

describe("a ModelBoxPolicy", () => {
  /** As they were accepted before their schema was strict. */
  const unreadable = { selector: { matchExpressions: [{ key: "team", operator: "In" }] } };
  const loose = () => {
    const crd = ModelBoxPolicy.crd();
    const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const versions = crd.spec.versions.map((version) => ({
      ...version,
      schema: { openAPIV3Schema: { type: "object", properties: { spec, status: spec } } },
    }));
    return { ...crd, spec: { ...crd.spec, versions } };
  };

  test("is refused when its selector is invalid", async () => {
    await using cluster = await testCluster({ resources: [ModelBoxPolicy] });
    for (const operator of ["In", "NotIn"])
      await expect(
        cluster.create(ModelBoxPolicy, {
          name: "bad",
          spec: { selector: { matchExpressions: [{ key: "team", operator }] } } as never,
        }),
      ).rejects.toThrow("In and NotIn need values");
    const values = { selector: { matchExpressions: [{ key: "team", operator: "Exists", values: ["a"] }] } };
    await expect(cluster.create(ModelBoxPolicy, { name: "bad", spec: values as never })).rejects.toThrow(
      "Exists and DoesNotExist take none",
    );
    await cluster.create(ModelBoxPolicy, {
      name: "good",
      spec: { selector: { matchExpressions: [{ key: "team", operator: "In", values: ["a"] }] } },
    });
  });

  test("with an invalid selector stops no ModelBox, is named by all of them, and reports the problem itself", async () => {
    const resources = [ModelBox, { crd: loose }];
    await using cluster = await testCluster({
      resources,
      controllers: [modelBoxController, modelBoxPolicyController],
    });
    await cluster.create(ModelBoxPolicy, { name: "bad", spec: unreadable as never });
    await cluster.create(ModelBoxPolicy, {
      name: "good",
      spec: { containers: [{ name: "more", image: "more:1" }] },
    });
    await boxWith(cluster, {});
    expect((await podSpec(cluster)).containers.map(({ name }) => name)).toEqual(["web", "more"]);
    const { status } = await cluster.get(ModelBox, "web");
    expect(status?.conditions?.find(({ type }) => type === "PoliciesApplied")).toMatchObject({
      status: "False",
      reason: "InvalidPolicy",
      message: expect.stringContaining("ModelBoxPolicy bad is left out: "),
    });
    expect(status?.conditions?.find(({ type }) => type === "Degraded")?.status).toBe("False");
    const policy = (await cluster.condition(ModelBoxPolicy, "bad", "Accepted", "False"))!;
    expect(policy.status?.conditions?.[0]).toMatchObject({ reason: "InvalidSelector" });
    await cluster.condition(ModelBoxPolicy, "good", "Accepted");
    await cluster.client.delete(ModelBoxPolicy, "bad");
    await cluster.condition(ModelBox, "web", "PoliciesApplied");
    expect(cluster.errors).toEqual([]);
  });

  test("adds no container whose name is taken, in whichever list", async () => {
    await using cluster = await testCluster({ ...options, nodes: 0, leaks: "ignore" });
    const named = (name: string, image: string) => ({ name, image });
    const first = { initContainers: [named("web", "x:1"), named("side", "a:1")] };
    const second = { containers: [named("side", "b:1"), named("first", "b:1")] };
    await cluster.create(ModelBoxPolicy, { name: "a", spec: first });
    await cluster.create(ModelBoxPolicy, { name: "b", spec: second });
    await cluster.create(ModelBox, {
      name: "web",
      spec: { ...spec, initContainers: [named("first", "own:1")] },
    });
    await cluster.eventually(Deployment, "web");
    const { containers, initContainers = [] } = await podSpec(cluster);
    expect(containers.map(({ name, image }) => `${name}=${image}`)).toEqual(["web=nginx:1.27"]);
    expect(initContainers.map(({ name, image }) => `${name}=${image}`)).toEqual(["first=own:1", "side=a:1"]);
    expect(cluster.errors).toEqual([]);
  });
});

describe("resources of a ModelBox", () => {
  test.each([
    [{}, { cpu: "100m", memory: "128Mi" }],
    [{ tier: "medium" }, { cpu: "500m", memory: "512Mi" }],
    [{ tier: "large" }, { cpu: "9", memory: "9Gi" }],
    [{ tier: "custom", resources: { requests: { cpu: "7m" } } }, { cpu: "7m" }],
    [{ resources: { requests: { cpu: "7m" } } }, { cpu: "7m" }],
  ])("of %o follow from the tier, and policies may change it", async (changes, requests) => {
    await using cluster = await testCluster({ ...options, nodes: 0, leaks: "ignore" });
    const large = { requests: { cpu: "9", memory: "9Gi" } };
    await cluster.create(ModelBoxPolicy, { name: "sizes", spec: { tiers: { large } } });
    await cluster.create(ModelBox, { name: "web", spec: { ...spec, ...changes } as never });
    await cluster.eventually(Deployment, "web");
    expect((await podSpec(cluster)).containers[0]?.resources?.requests).toEqual(requests);
  });
});

describe("rolling updates of a ModelBox", () => {
  test("replace the share of pods in its spec at a time", async () => {
    await using cluster = await testCluster(options);
    await boxWith(cluster, { replicas: 10, rollingUpdate: "30%" });
    const { strategy, minReadySeconds } = (await cluster.get(Deployment, "web")).spec!;
    expect(strategy?.rollingUpdate).toEqual({ maxSurge: "30%", maxUnavailable: "30%" });
    expect(minReadySeconds).toBe(3);
    await change(cluster, { image: "nginx:1.28" });
    let least = 10;
    await cluster.eventually(async () => {
      const { status } = await cluster.get(Deployment, "web");
      least = Math.min(least, status?.availableReplicas ?? 0);
      return status?.updatedReplicas === 10 && status.availableReplicas === 10;
    });
    expect(least).toBeGreaterThanOrEqual(7);
  });

  test("replace a quarter of the pods when rollingUpdate is empty", async () => {
    await using cluster = await testCluster(options);
    await boxWith(cluster, { rollingUpdate: "" });
    const { strategy } = (await cluster.get(Deployment, "web")).spec!;
    expect(strategy?.rollingUpdate).toEqual({ maxSurge: "25%", maxUnavailable: "25%" });
  });
});

describe("the Service of a ModelBox", () => {
  test("changes its type in place, repeatedly", async () => {
    await using cluster = await testCluster(options);
    await boxWith(cluster, {});
    const types = ["NodePort", "Headless", "LoadBalancer", "ClusterIP", "Headless", "ClusterIP"] as const;
    for (const serviceType of types) {
      await change(cluster, { serviceType });
      const type = serviceType === "Headless" ? "ClusterIP" : serviceType;
      await cluster.eventually(
        Service,
        "web",
        (service) =>
          service.spec?.type === type && (service.spec.clusterIP === "None") === (serviceType === "Headless"),
      );
    }
    expect(cluster.errors).toEqual([]);
  });

  test("keeps the node ports it was allocated, and has those in the spec", async () => {
    await using cluster = await testCluster(options);
    await boxWith(cluster, { serviceType: "NodePort" });
    const { ports = [] } = (await cluster.get(Service, "web")).spec!;
    await change(cluster, { image: "nginx:1.28" });
    await cluster.eventually(
      Deployment,
      "web",
      (now) => now.spec?.template.spec?.containers[0]?.image === "nginx:1.28",
    );
    expect((await cluster.get(Service, "web")).spec?.ports).toEqual(ports);
    await change(cluster, { ports: [{ port: 80, nodePort: 30555 }] });
    await cluster.eventually(ModelBox, "web", ({ status }) => status?.nodePorts?.[0] === 30555);
  });
});

describe("probes of a ModelBox", () => {
  test.each([
    [{}, { tcpSocket: { port: 8080 } }],
    [{ probes: { path: "/healthz" } }, { httpGet: { path: "/healthz", port: 8080 } }],
    [{ ports: [{ port: 80, targetPort: "http" }] }, { tcpSocket: { port: "http" } }],
    [
      { probes: { port: 9000, readiness: { periodSeconds: 2 } } },
      { tcpSocket: { port: 9000 }, periodSeconds: 2 },
    ],
    [{ probes: { readiness: { enabled: false } } }, undefined],
    [{ ports: [{ port: 53, protocol: "UDP" }] }, undefined],
  ])("with %o follow from the ports and probes of its spec", async (changes, probe) => {
    await using cluster = await testCluster({ ...options, nodes: 0, leaks: "ignore" });
    await cluster.create(ModelBox, { name: "web", spec: { ...spec, ...changes } as never });
    await cluster.eventually(Deployment, "web");
    const [container] = (await podSpec(cluster)).containers;
    if (probe) expect(container?.readinessProbe).toMatchObject(probe);
    else expect(container?.readinessProbe).toBeUndefined();
  });
});

describe("scaling of a ModelBox", () => {
  test("through the scale subresource reaches the Deployment", async () => {
    await using cluster = await testCluster(options);
    await boxWith(cluster, {});
    const scale = await cluster.client.getScale(ModelBox, "web", { namespace });
    expect(scale).toMatchObject({ spec: { replicas: 2 }, status: { selector: "model.github.com/box=web" } });
    await cluster.client.scale(ModelBox, "web", 4, { namespace });
    await cluster.eventually(ModelBox, "web", ({ status }) => status?.ready === "4/4");
  });

  test("of the Deployment is left to an autoscaler, from its first moment to its last", async () => {
    await using cluster = await testCluster(options);
    await boxWith(cluster, {});
    const replicas = async () => (await cluster.get(Deployment, "web")).spec?.replicas;
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    await cluster.create(HorizontalPodAutoscaler, { name: "web", spec: { scaleTargetRef, maxReplicas: 9 } });
    await change(cluster, { image: "nginx:1.28" });
    await cluster.eventually(ModelBox, "web", ({ status }) => status?.observedGeneration === 2);
    expect(await replicas()).toBe(2);
    await cluster.client.scale(Deployment, "web", 6, { namespace });
    await change(cluster, { image: "nginx:1.29" });
    await cluster.eventually(ModelBox, "web", ({ status }) => status?.ready === "6/6");
    await cluster.delete(HorizontalPodAutoscaler, "web");
    await cluster.eventually(async () => (await replicas()) === 2);
  });
});

describe("a ModelBox is refused", () => {
  test.each([
    [{ rollingUpdate: "0%" }, "must be a share from 1% to 100%: at 0% no pod could ever be replaced"],
    [{ rollingUpdate: "3" }, "must be a share from 1% to 100%"],
    [{ tier: "custom" }, "tier custom needs resources"],
    [{ tier: "small", resources: { limits: { cpu: "1" } } }, "resources need tier custom"],
    [{ serviceType: "ClusterIP", ports: [{ port: 80, nodePort: 30001 }] }, "node ports need serviceType"],
    [{ ports: [] }, "should have at least 1 items"],
    [{ image: "" }, "should be at least 1 chars long"],
  ])("for %o", async (changes, message) => {
    await using cluster = await testCluster({ resources: [ModelBox] });
    const refused = cluster.create(ModelBox, { name: "web", spec: { ...spec, ...changes } as never });
    await expect(refused).rejects.toThrow(message);
  });

  test("for a name that no Service can have", async () => {
    await using cluster = await testCluster({ resources: [ModelBox] });
    await expect(cluster.create(ModelBox, { name: "1.web", spec })).rejects.toThrow("also that of a Service");
  });
});
