import type {
  Labels,
  PersistentVolume,
  PersistentVolumeClaim,
  PodAffinityTerm,
  StorageClass,
  TopologySpreadConstraint,
} from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { cluster, node, placeOf, pod } from "../fixtures/small-cluster.js";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
const zone = "topology.kubernetes.io/zone";
const host = "kubernetes.io/hostname";
const web = { app: "web" };

const near = (labels: Labels, topologyKey = host, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  labelSelector: { matchLabels: labels },
  topologyKey,
  ...more,
});

describe("scheduler: nodes", () => {
  const tainted = { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" as const }] };
  test.each([
    ["a cordoned node", { unschedulable: true }, {}, "node(s) were unschedulable"],
    ["a taint", tainted, {}, "node(s) had untolerated taint(s)"],
    [
      "a selector",
      {},
      { nodeSelector: { disk: "ssd" } },
      "node(s) didn't match Pod's node affinity/selector",
    ],
  ])("%s keeps a pod away", (_, spec, wants, reason) => {
    const state = cluster({ nodes: [node("a", { spec })] });
    expect(placeOf(pod("p", { spec: wants }), state)).toBe(`0/1 nodes are available: 1 ${reason}.`);
  });

  test("each node gives its first reason, counted and sorted", () => {
    const nodes = [
      node("a", { spec: tainted }),
      node("b", { spec: { unschedulable: true } }),
      node("c", { cpu: "1" }),
    ];
    expect(placeOf(pod("p", { cpu: "2" }), cluster({ nodes }))).toBe(
      "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.",
    );
  });

  test("of two nodes that fit, the one with more room wins", () => {
    const state = cluster({ nodes: [node("a"), node("b")], pods: { a: [pod("x", { cpu: "2" })] } });
    expect(placeOf(pod("p", { cpu: "1" }), state)).toBe("b");
  });

  test("preferences for nodes outweigh room", () => {
    const state = cluster({
      nodes: [node("a", { labels: { disk: "ssd" } }), node("b")],
      pods: { a: [pod("x", { cpu: "1" })] },
    });
    const preference = { matchExpressions: [{ key: "disk", operator: "In" as const, values: ["ssd"] }] };
    const affinity = { nodeAffinity: { [preferred]: [{ weight: 10, preference }] } };
    expect(placeOf(pod("p", { spec: { affinity } }), state)).toBe("a");
  });

  test("a node that would rather not have the pod is chosen last", () => {
    const spec = { taints: [{ key: "old", effect: "PreferNoSchedule" as const }] };
    const state = cluster({ nodes: [node("a", { spec }), node("b")], pods: { b: [pod("x", { cpu: "2" })] } });
    expect(placeOf(pod("p"), state)).toBe("b");
  });

  test("a pod with node affinity to one name is considered for that node alone", () => {
    const matchFields = [{ key: "metadata.name", operator: "In" as const, values: ["b"] }];
    const affinity = { nodeAffinity: { [required]: { nodeSelectorTerms: [{ matchFields }] } } };
    const state = cluster({ nodes: [node("a"), node("b", { cpu: "1" })] });
    expect(placeOf(pod("p", { spec: { affinity } }), state)).toBe("b");
    expect(placeOf(pod("p", { cpu: "2", spec: { affinity } }), state)).toBe(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    );
  });
});

describe("scheduler: resources", () => {
  const asks = (requests: Record<string, string>) => ({ name: "c", image: "i", resources: { requests } });
  test.each([
    [
      "extended resources",
      { containers: [asks({ "example.com/gpu": "2" })] },
      "1 Insufficient example.com/gpu",
    ],
    ["overhead", { containers: [asks({ cpu: "3" })], overhead: { cpu: "2" } }, "1 Insufficient cpu"],
    [
      "the largest init container",
      { containers: [asks({ cpu: "1" })], initContainers: [{ ...asks({ cpu: "5" }), name: "i" }] },
      "1 Insufficient cpu",
    ],
    [
      "sidecars beside containers",
      {
        containers: [asks({ cpu: "3" })],
        initContainers: [{ ...asks({ cpu: "2" }), name: "i", restartPolicy: "Always" }],
      },
      "1 Insufficient cpu",
    ],
    [
      "sidecars beside later init containers",
      {
        containers: [asks({ cpu: "1" })],
        initContainers: [
          { ...asks({ cpu: "2" }), name: "s", restartPolicy: "Always" },
          { ...asks({ cpu: "3" }), name: "i" },
        ],
      },
      "1 Insufficient cpu",
    ],
    [
      "several lacks",
      { containers: [asks({ cpu: "5", memory: "1Ti" })] },
      "1 Insufficient cpu, 1 Insufficient memory",
    ],
  ])("%s count", (_, spec, reasons) => {
    const state = cluster({ nodes: [node("a", { allocatable: { "example.com/gpu": "1" } })] });
    expect(placeOf(pod("p", { spec }), state)).toBe(`0/1 nodes are available: ${reasons}.`);
  });

  test("a node takes as many pods as its allocatable says", () => {
    const pods = { a: Array.from({ length: 10 }, (_, at) => pod(`x${at}`)) };
    expect(placeOf(pod("p"), cluster({ nodes: [node("a")], pods }))).toBe(
      "0/1 nodes are available: 1 Too many pods.",
    );
  });

  test.each([
    ["the same port", { hostPort: 80 }, false],
    ["another protocol", { hostPort: 80, protocol: "UDP" as const }, true],
    ["another address", { hostPort: 80, hostIP: "10.0.0.2" }, true],
    ["every address", { hostPort: 80, hostIP: "0.0.0.0" }, false],
  ])("host ports: %s", (_, port, fits) => {
    const withPort = (hostPort: object) => ({
      containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, ...hostPort }] }],
    });
    const taken = pod("x", { spec: withPort({ hostPort: 80, hostIP: "10.0.0.1" }) });
    const all = pod("x", { spec: withPort({ hostPort: 80 }) });
    const state = cluster({ nodes: [node("a")], pods: { a: ["hostIP" in port ? taken : all] } });
    expect(placeOf(pod("p", { spec: withPort(port) }), state) === "a").toBe(fits);
  });
});

describe("scheduler: pod affinity", () => {
  const nodes = [
    node("a", { labels: { [zone]: "1" } }),
    node("b", { labels: { [zone]: "1" } }),
    node("c", { labels: { [zone]: "2" } }),
  ];
  const wants = (term: PodAffinityTerm) => ({ spec: { affinity: { podAffinity: { [required]: [term] } } } });
  const avoids = (term: PodAffinityTerm) => ({
    spec: { affinity: { podAntiAffinity: { [required]: [term] } } },
  });

  test("a pod goes where the others are", () => {
    const state = cluster({ nodes, pods: { c: [pod("x", { labels: web })] } });
    expect(placeOf(pod("p", wants(near(web))), state)).toBe("c");
  });

  test("no pod matches: no node fits", () => {
    const reason = "3 node(s) didn't match pod affinity rules";
    expect(placeOf(pod("p", wants(near(web))), cluster({ nodes }))).toBe(
      `0/3 nodes are available: ${reason}.`,
    );
  });

  test("the first of a group that wants to be together starts anywhere", () => {
    expect(placeOf(pod("p", { ...wants(near(web)), labels: web }), cluster({ nodes }))).toBe("a");
  });

  test("a pod keeps away from others", () => {
    const state = cluster({ nodes, pods: { a: [pod("x", { labels: web })] } });
    expect(placeOf(pod("p", avoids(near(web, zone))), state)).toBe("c");
    const full = cluster({ nodes, pods: { a: [pod("x", { labels: web })], c: [pod("y", { labels: web })] } });
    expect(placeOf(pod("p", avoids(near(web, zone))), full)).toBe(
      "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.",
    );
  });

  test("pods in place keep newcomers away", () => {
    const state = cluster({ nodes: nodes.slice(0, 2), pods: { a: [pod("x", avoids(near(web, zone)))] } });
    expect(placeOf(pod("p", { labels: web }), state)).toBe(
      "0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules.",
    );
    expect(placeOf(pod("p"), state)).toBe("b");
  });

  test.each([
    ["its own namespace by default", {}, "a"],
    ["named namespaces", { namespaces: ["other"] }, "c"],
    ["namespaces by label", { namespaceSelector: { matchLabels: { team: "red" } } }, "c"],
    ["every namespace", { namespaceSelector: {} }, "c"],
  ])("a term selects pods of %s", (_, more, expected) => {
    const state = cluster({
      nodes,
      pods: { c: [pod("x", { labels: web, namespace: "other" })], b: [pod("y", { cpu: "3" })] },
      namespaces: { default: {}, other: { team: "red" } },
    });
    const affinity = {
      podAffinity: { [preferred]: [{ weight: 50, podAffinityTerm: near(web, host, more) }] },
    };
    expect(placeOf(pod("p", { spec: { affinity } }), state)).toBe(expected);
  });

  test("matchLabelKeys excludes pods of another revision", () => {
    const old = pod("x", { labels: { ...web, revision: "1" } });
    const term = near(web, host, { matchLabelKeys: ["revision"] });
    const state = cluster({ nodes: nodes.slice(0, 1), pods: { a: [old] } });
    expect(placeOf(pod("p", { ...avoids(term), labels: { ...web, revision: "2" } }), state)).toBe("a");
    expect(placeOf(pod("p", { ...avoids(term), labels: { ...web, revision: "1" } }), state)).toMatch(
      "anti-affinity",
    );
  });

  test("pods that would rather be apart are put apart", () => {
    const affinity = {
      podAntiAffinity: { [preferred]: [{ weight: 100, podAffinityTerm: near(web, zone) }] },
    };
    const state = cluster({ nodes, pods: { a: [pod("x", { labels: web })], c: [pod("y", { cpu: "1" })] } });
    expect(placeOf(pod("p", { spec: { affinity } }), state)).toBe("c");
  });

  test("counts follow pods that come and go", () => {
    const state = cluster({ nodes });
    const x = pod("x", { labels: web });
    expect(placeOf(pod("p", wants(near(web))), state)).toMatch("0/3");
    state.place(x, "b");
    expect(placeOf(pod("p", wants(near(web))), state)).toBe("b");
    state.remove(x);
    expect(placeOf(pod("p", wants(near(web))), state)).toMatch("0/3");
  });
});

describe("scheduler: topology spread", () => {
  const zones = ["1", "2", "3"].map((at) => node(`n${at}`, { labels: { [zone]: at } }));
  const spread = (more: Partial<TopologySpreadConstraint> = {}) => ({
    labels: web,
    spec: {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: zone,
          whenUnsatisfiable: "DoNotSchedule" as const,
          labelSelector: { matchLabels: web },
          ...more,
        },
      ],
    },
  });
  const some = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, at) => pod(`${prefix}${at}`, { labels: web }));

  test("only the zone with the fewest pods fits", () => {
    const state = cluster({ nodes: zones, pods: { n1: some(1, "a"), n2: some(1, "b") } });
    expect(placeOf(pod("p", spread()), state)).toBe("n3");
  });

  test("a zone without room keeps all others from being used", () => {
    const nodes = [
      ...zones.slice(0, 2),
      node("n3", { labels: { [zone]: "3" }, spec: { unschedulable: true } }),
    ];
    const state = cluster({ nodes, pods: { n1: some(1, "a"), n2: some(1, "b") } });
    expect(placeOf(pod("p", spread()), state)).toBe(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints.",
    );
  });

  test.each([
    [
      "a node without the label",
      [node("x")],
      {},
      "1 node(s) didn't match pod topology spread constraints (missing required label)",
    ],
    [
      "too few domains",
      zones.slice(0, 1),
      { minDomains: 2 },
      "1 node(s) didn't match pod topology spread constraints",
    ],
  ])("no node fits with %s", (_, nodes, more, reason) => {
    const state = cluster({ nodes, pods: { n1: some(1, "a") } });
    expect(placeOf(pod("p", spread(more)), state)).toBe(`0/1 nodes are available: ${reason}.`);
  });

  test("tainted nodes count unless the constraint honours taints", () => {
    const taints = [{ key: "k", effect: "NoSchedule" as const }];
    const nodes = [...zones.slice(0, 1), node("n2", { labels: { [zone]: "2" }, spec: { taints } })];
    const state = cluster({ nodes, pods: { n1: some(1, "a") } });
    expect(placeOf(pod("p", spread()), state)).toMatch("topology spread");
    expect(placeOf(pod("p", spread({ nodeTaintsPolicy: "Honor" })), state)).toBe("n1");
  });

  test("terminating pods do not count", () => {
    const terminating = some(2, "a").map((one) => ({
      ...one,
      metadata: { ...one.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
    }));
    const state = cluster({ nodes: zones.slice(0, 2), pods: { n1: terminating, n2: some(1, "b") } });
    expect(placeOf(pod("p", spread()), state)).toBe("n1");
  });

  test("preferred affinity decides between nodes", () => {
    const state = cluster({ nodes: zones, pods: { n1: some(1, "a"), n2: some(1, "b") } });
    expect(placeOf(pod("p", spread({ whenUnsatisfiable: "ScheduleAnyway" })), state)).toBe("n3");
  });
});

describe("scheduler: volumes", () => {
  const nodes = [node("a", { labels: { [zone]: "1" } }), node("b", { labels: { [zone]: "2" } })];
  const using = { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] } };
  const claim = (more: Partial<PersistentVolumeClaim> = {}, bound = ""): PersistentVolumeClaim => ({
    metadata: {
      name: "data",
      namespace: "default",
      uid: "1",
      ...(bound ? { annotations: { "pv.kubernetes.io/bind-completed": "yes" } } : {}),
    },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "late",
      resources: { requests: { storage: "1Gi" } },
      ...(bound ? { volumeName: bound } : {}),
    },
    ...more,
  });
  const volume = (zoneName: string): PersistentVolume => ({
    metadata: { name: "pv" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "late",
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: "In", values: [zoneName] }] }],
        },
      },
    },
    status: { phase: "Available" },
  });
  const late = (provisioner: string): StorageClass => ({
    metadata: { name: "late" },
    provisioner,
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const manual = late("kubernetes.io/no-provisioner");

  test.each([
    ["no claim", {}, '0/2 nodes are available: persistentvolumeclaim "data" not found.'],
    [
      "an unbound claim",
      { claims: [claim()] },
      "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
    ],
    ["a bound claim", { claims: [claim({}, "pv")], volumes: [volume("2")] }, "b"],
    [
      "a lost volume",
      { claims: [claim({}, "pv")] },
      "0/2 nodes are available: 2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).",
    ],
    [
      "a volume elsewhere",
      { claims: [claim({}, "pv")], volumes: [volume("3")] },
      "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity.",
    ],
    ["a volume to be had", { claims: [claim()], volumes: [volume("2")], classes: [manual] }, "b"],
    [
      "none to be had",
      { claims: [claim()], classes: [manual] },
      "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.",
    ],
    ["a provisioner", { claims: [claim()], classes: [late("example.com/disks")] }, "a"],
  ])("with %s", (_, storage, expected) => {
    expect(placeOf(pod("p", using), cluster({ nodes, ...storage }))).toBe(expected);
  });

  test("a ReadWriteOncePod claim is used by one pod", () => {
    const claims = [claim({ spec: { accessModes: ["ReadWriteOncePod"], volumeName: "pv" } }, "pv")];
    const state = cluster({ nodes, claims, volumes: [volume("1")], pods: { a: [pod("x", using)] } });
    expect(placeOf(pod("p", using), state)).toMatch("ReadWriteOncePod access mode");
  });
});
