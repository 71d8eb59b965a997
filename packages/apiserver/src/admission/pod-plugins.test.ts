import { describe, expect, it } from "vitest";
import { kindServer } from "../kinds/fixtures/kind-server.js";

const pods = "/api/v1/namespaces/test/pods";
const pod = (spec: object = {}, name = "p") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const priorityClass = (name: string, rest: object) => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  ...rest,
});
const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
const account = (name: string, rest: object = {}) => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name },
  ...rest,
});
const accounts = "/api/v1/namespaces/test/serviceaccounts";

describe("Priority", () => {
  const without = { disableAdmission: ["ServiceAccount"] };

  it("gives pods the value of their priority class", async () => {
    const { call } = await kindServer(without);
    await call("POST", classes, priorityClass("high", { value: 1000, preemptionPolicy: "Never" }));
    const { body } = await call("POST", pods, pod({ priorityClassName: "high" }));
    expect(body.spec).toMatchObject({ priority: 1000, preemptionPolicy: "Never" });
  });

  it("gives pods without a class the value of the default class, or zero", async () => {
    const { call } = await kindServer(without);
    expect((await call("POST", pods, pod())).body.spec).toMatchObject({
      priority: 0,
      preemptionPolicy: "PreemptLowerPriority",
    });
    await call("POST", classes, priorityClass("usual", { value: 7, globalDefault: true }));
    expect((await call("POST", pods, pod({}, "q"))).body.spec).toMatchObject({
      priority: 7,
      priorityClassName: "usual",
    });
    const second = await call("POST", classes, priorityClass("other", { value: 8, globalDefault: true }));
    expect(second.body.message).toContain("PriorityClass usual is already marked as default");
  });

  it.each([
    [{ priorityClassName: "none" }, "no PriorityClass with name none was found"],
    [
      { priority: 5 },
      "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name",
    ],
    [
      { preemptionPolicy: "Never" },
      "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name",
    ],
  ])("refuses %j", async (spec, why) => {
    const { call } = await kindServer(without);
    const { status, body } = await call("POST", pods, pod(spec));
    expect([status, body.message]).toEqual([403, `pods "p" is forbidden: ${why}`]);
  });
});

describe("DefaultTolerationSeconds", () => {
  it("adds tolerations of not-ready and unreachable that a pod lacks", async () => {
    const { call } = await kindServer({ disableAdmission: ["ServiceAccount"] });
    const { body } = await call(
      "POST",
      pods,
      pod({ tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists" }] }),
    );
    expect(body.spec.tolerations).toEqual([
      { key: "node.kubernetes.io/not-ready", operator: "Exists" },
      {
        key: "node.kubernetes.io/unreachable",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      },
    ]);
  });
});

describe("ServiceAccount", () => {
  it("refuses a pod whose service account does not exist", async () => {
    const { call } = await kindServer();
    const { status, body } = await call("POST", pods, pod());
    expect([status, body.message]).toEqual([
      403,
      'pods "p" is forbidden: error looking up service account test/default: serviceaccount "default" not found',
    ]);
  });

  it("mounts a token and adds the account's image pull secrets", async () => {
    const { call } = await kindServer();
    await call("POST", accounts, account("default", { imagePullSecrets: [{ name: "registry" }] }));
    const { spec } = (await call("POST", pods, pod())).body;
    expect(spec).toMatchObject({ serviceAccountName: "default", serviceAccount: "default" });
    expect(spec.imagePullSecrets).toEqual([{ name: "registry" }]);
    expect(spec.volumes[0].name).toMatch(/^kube-api-access-.{5}$/);
    expect(spec.volumes[0].projected.sources.flatMap(Object.keys)).toEqual([
      "serviceAccountToken",
      "configMap",
      "downwardAPI",
    ]);
    expect(spec.containers[0].volumeMounts).toEqual([
      {
        name: spec.volumes[0].name,
        readOnly: true,
        mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
      },
    ]);
  });

  it.each([
    [{}, { automountServiceAccountToken: false }, false],
    [{ automountServiceAccountToken: true }, { automountServiceAccountToken: false }, true],
    [{ automountServiceAccountToken: false }, {}, false],
  ])(
    "mounts a token by automountServiceAccountToken of the pod (%j), then of the account (%j)",
    async (spec, rest, mounted) => {
      const { call } = await kindServer();
      await call("POST", accounts, account("default", rest));
      const { body } = await call("POST", pods, pod(spec));
      expect(body.spec.volumes !== undefined).toBe(mounted);
    },
  );

  const strict = account("default", {
    metadata: { name: "default", annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
    secrets: [{ name: "mine" }],
    imagePullSecrets: [{ name: "registry" }],
  });
  const reading = (secret: string) => ({
    name: "c",
    image: "i",
    env: [{ name: "A", valueFrom: { secretKeyRef: { name: secret, key: "k" } } }],
  });
  const taking = (secret: string) => ({ name: "c", image: "i", envFrom: [{ secretRef: { name: secret } }] });
  const unlisted = "is not allowed because service account default does not reference that";

  it.each([
    [{ containers: [reading("mine")] }, undefined],
    [
      { volumes: [{ name: "v", secret: { secretName: "other" } }] },
      `volume with secret.secretName="other" ${unlisted} secret`,
    ],
    [
      { containers: [reading("other")] },
      `container c with envVar A referencing secret.secretName="other" ${unlisted} secret`,
    ],
    [
      { initContainers: [{ ...taking("other"), name: "first" }] },
      `init container first with envFrom referencing secret.secretName="other" ${unlisted} secret`,
    ],
    [
      { imagePullSecrets: [{ name: "registry" }, { name: "other" }] },
      `imagePullSecrets[1].name="other" ${unlisted} imagePullSecret`,
    ],
  ])("enforces mountable secrets of the account: %j", async (spec, why) => {
    const { call } = await kindServer();
    await call("POST", accounts, strict);
    const { status, body } = await call("POST", pods, pod(spec));
    expect([status, body.message]).toEqual(why ? [403, `pods "p" is forbidden: ${why}`] : [201, undefined]);
  });

  it("enforces mountable secrets of ephemeral containers", async () => {
    const { call, patch } = await kindServer();
    await call("POST", accounts, strict);
    await call("POST", pods, pod());
    const add = (container: object) =>
      patch(`${pods}/p/ephemeralcontainers`, {
        spec: { ephemeralContainers: [{ ...container, name: "debug" }] },
      });
    const { status, body } = await add(taking("other"));
    expect([status, body.message]).toEqual([
      500,
      `ephemeral container debug with envFrom referencing secret.secretName="other" ${unlisted} secret`,
    ]);
    expect((await add(taking("mine"))).status).toBe(200);
  });

  it.each([
    [{ serviceAccountName: "default" }, "service accounts"],
    [{ containers: [reading("mine")] }, "secrets"],
    [{ imagePullSecrets: [{ name: "registry" }] }, "secrets"],
  ])("refuses a mirror pod that references %j", async (spec, what) => {
    const { call } = await kindServer();
    await call("POST", accounts, strict);
    const annotations = { "kubernetes.io/config.mirror": "x" };
    const mirror = { ...pod({ nodeName: "n", ...spec }), metadata: { name: "p", annotations } };
    const { body } = await call("POST", pods, mirror);
    expect(body.message).toBe(`pods "p" is forbidden: a mirror pod may not reference ${what}`);
  });
});

describe("RuntimeClass", () => {
  it("adds the overhead and the node selector of the runtime class", async () => {
    const { call } = await kindServer({ disableAdmission: ["ServiceAccount"] });
    await call("POST", "/apis/node.k8s.io/v1/runtimeclasses", {
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name: "gvisor" },
      handler: "runsc",
      overhead: { podFixed: { memory: "64Mi" } },
      scheduling: { nodeSelector: { sandbox: "yes" } },
    });
    const { body } = await call("POST", pods, pod({ runtimeClassName: "gvisor" }));
    expect(body.spec).toMatchObject({ overhead: { memory: "64Mi" }, nodeSelector: { sandbox: "yes" } });
    const clash = await call(
      "POST",
      pods,
      pod({ runtimeClassName: "gvisor", nodeSelector: { sandbox: "no" } }, "q"),
    );
    expect(clash.body.message).toContain("conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes");
    const missing = await call("POST", pods, pod({ runtimeClassName: "kata" }, "q"));
    expect(missing.body.message).toBe('pods "q" is forbidden: pod rejected: RuntimeClass "kata" not found');
  });
});

describe("PodTopologyLabels", () => {
  it("copies the topology labels of the node to a bound pod", async () => {
    const { call } = await kindServer({ disableAdmission: ["ServiceAccount"] });
    const labels = { "topology.kubernetes.io/zone": "a", other: "x" };
    await call("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n", labels } });
    await call("POST", pods, pod());
    const target = { kind: "Node", name: "n" };
    await call("POST", `${pods}/p/binding`, {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "p" },
      target,
    });
    const bound = await call("GET", `${pods}/p`);
    expect(bound.body.metadata.labels).toEqual({ "topology.kubernetes.io/zone": "a" });
    const born = await call("POST", pods, pod({ nodeName: "n" }, "q"));
    expect(born.body.metadata.labels).toEqual({ "topology.kubernetes.io/zone": "a" });
  });
});
