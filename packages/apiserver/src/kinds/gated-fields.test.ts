// Fields of closed feature gates, kind by kind: sent, taken without complaint, and gone.
import { describe, expect, it } from "vitest";
import { type Answer, kindServer } from "./fixtures/kind-server.js";

const signal = { lifecycle: { stopSignal: "SIGUSR1" } };
const pod = {
  schedulingGroup: { podGroupName: "g" },
  os: { name: "linux" },
  containers: [{ name: "c", image: "i", ...signal }],
  volumes: [
    {
      name: "v",
      projected: {
        sources: [
          { clusterTrustBundle: { name: "x", path: "p" } },
          { podCertificate: { signerName: "a.b/c", keyType: "ED25519", credentialBundlePath: "q" } },
        ],
      },
    },
  ],
};
const labels = { app: "a" };
const template = { metadata: { labels }, spec: pod };
const selector = { matchLabels: labels };
const job = { template: { spec: { ...pod, restartPolicy: "Never" } } };
const apps = "/apis/apps/v1/namespaces/test";

describe.each<[kind: string, path: string, object: object, specAt: (body: Answer["body"]) => Answer["body"]]>(
  [
    ["Pod", "/api/v1/namespaces/test/pods", { spec: pod }, ({ spec }) => spec],
    ["PodTemplate", "/api/v1/namespaces/test/podtemplates", { template }, (body) => body.template.spec],
    ["Deployment", `${apps}/deployments`, { spec: { selector, template } }, ({ spec }) => spec.template.spec],
    ["DaemonSet", `${apps}/daemonsets`, { spec: { selector, template } }, ({ spec }) => spec.template.spec],
    [
      "StatefulSet",
      `${apps}/statefulsets`,
      { spec: { selector, template } },
      ({ spec }) => spec.template.spec,
    ],
    ["Job", "/apis/batch/v1/namespaces/test/jobs", { spec: job }, ({ spec }) => spec.template.spec],
    [
      "CronJob",
      "/apis/batch/v1/namespaces/test/cronjobs",
      { spec: { schedule: "* * * * *", jobTemplate: { spec: job } } },
      ({ spec }) => spec.jobTemplate.spec.template.spec,
    ],
  ],
)("pod template of a %s", (_, path, object, specAt) => {
  it("has no fields of alpha features", async () => {
    const { call } = await kindServer({ disableAdmission: ["ServiceAccount"] });
    const { body } = await call("POST", path, { metadata: { name: "x" }, ...object });
    const spec = specAt(body);
    expect(spec.schedulingGroup).toBeUndefined();
    expect(spec.containers[0].lifecycle).toBeUndefined();
    expect(spec.volumes[0].projected.sources).toEqual([{}, {}]);
  });
});

describe("fields of disabled feature gates", () => {
  it("are dropped without the other lifecycle hooks of a container", async () => {
    const { call } = await kindServer({ disableAdmission: ["ServiceAccount"] });
    const preStop = { sleep: { seconds: 1 } };
    const containers = [{ name: "c", image: "i", lifecycle: { ...signal.lifecycle, preStop } }];
    const { body } = await call("POST", "/api/v1/namespaces/test/pods", {
      metadata: { name: "x" },
      spec: { os: { name: "linux" }, containers },
    });
    expect(body.spec.containers[0].lifecycle).toEqual({ preStop });
  });

  it("are dropped from updates too", async () => {
    const { call, patch } = await kindServer();
    const plain = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    await call("POST", `${apps}/deployments`, {
      metadata: { name: "x" },
      spec: { selector, template: plain },
    });
    const spec = { template: { spec: { schedulingGroup: { podGroupName: "g" } } } };
    const { body } = await patch(`${apps}/deployments/x`, { spec });
    expect(body.metadata.generation).toBe(1);
  });

  it.each<[what: string, path: string, spec: object, left: object]>([
    [
      "how many pods of a stateful set may be missing",
      `${apps}/statefulsets`,
      {
        selector,
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
        updateStrategy: { rollingUpdate: { maxUnavailable: 2 } },
      },
      expect.objectContaining({
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      }),
    ],
    [
      "whether pods wait for a driver",
      "/apis/storage.k8s.io/v1/csidrivers",
      { preventPodSchedulingIfMissing: true },
      expect.not.objectContaining({ preventPodSchedulingIfMissing: true }),
    ],
  ])("include %s", async (_, path, spec, left) => {
    const { call } = await kindServer();
    const { status, body } = await call("POST", path, { metadata: { name: "x" }, spec });
    expect(status).toBe(201);
    expect(body.spec).toEqual(left);
  });

  it("do not include those of a pod status", async () => {
    const { call, patch } = await kindServer({ disableAdmission: ["ServiceAccount"] });
    const pods = "/api/v1/namespaces/test/pods";
    await call("POST", pods, { metadata: { name: "x" }, spec: { containers: [{ name: "c", image: "i" }] } });
    const report = { name: "c", image: "i", imageID: "", ready: false, restartCount: 0 };
    const { body } = await patch(`${pods}/x/status`, {
      status: { containerStatuses: [{ ...report, stopSignal: "SIGTERM" }] },
    });
    expect(body.status.containerStatuses).toEqual([
      { ...report, state: {}, lastState: {}, stopSignal: "SIGTERM" },
    ]);
  });

  it("are kept, defaulted and validated once the gate is enabled", async () => {
    const { call } = await kindServer({ featureGates: ["MaxUnavailableStatefulSet"] });
    const set = (name: string, rollingUpdate: object) => ({
      metadata: { name },
      spec: {
        selector,
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
        updateStrategy: { type: "RollingUpdate", rollingUpdate },
      },
    });
    const refused = await call("POST", `${apps}/statefulsets`, set("none", { maxUnavailable: 0 }));
    expect(refused.body.message).toContain(
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0",
    );
    const half = await call("POST", `${apps}/statefulsets`, set("half", { maxUnavailable: "50%" }));
    expect(half.body.spec.updateStrategy.rollingUpdate).toEqual({ partition: 0, maxUnavailable: "50%" });
    const { body } = await call("POST", `${apps}/statefulsets`, set("one", {}));
    expect(body.spec.updateStrategy.rollingUpdate).toEqual({ partition: 0, maxUnavailable: 1 });
  });
});
