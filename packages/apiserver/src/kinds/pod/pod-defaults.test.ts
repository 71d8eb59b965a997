import { describe, expect, it } from "vitest";
import { podServer } from "../fixtures/pod-server.js";

const server = podServer({ disableAdmission: ["ServiceAccount", "DefaultTolerationSeconds", "Priority"] });
const defaulted = async (spec: object, metadata: object = {}) => {
  const { attempt } = await server;
  const { status, body } = await attempt(spec, metadata);
  expect(body.message).toBeUndefined();
  expect(status).toBe(201);
  return body;
};
const containerOf = async (container: object, spec: object = {}) =>
  (await defaulted({ containers: [{ name: "c", image: "i:1", ...container }], ...spec })).spec.containers[0];

describe("pod defaults", () => {
  it("complete a pod with nothing but an image", async () => {
    const { spec, status } = await defaulted({ containers: [{ name: "c", image: "nginx" }] });
    expect(spec).toEqual({
      containers: [
        {
          name: "c",
          image: "nginx",
          resources: {},
          imagePullPolicy: "Always",
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ],
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Always",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: "default-scheduler",
      enableServiceLinks: true,
    });
    expect(status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
  });

  it.each([
    ["a tagged image", {}, { imagePullPolicy: "IfNotPresent" }],
    ["a port", { ports: [{ containerPort: 80 }] }, { ports: [{ containerPort: 80, protocol: "TCP" }] }],
    [
      "a field of the pod",
      { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] },
      { env: [{ valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } }] },
    ],
    [
      "a probe",
      { livenessProbe: { httpGet: { port: 80 } }, readinessProbe: { grpc: { port: 81 }, periodSeconds: 5 } },
      {
        livenessProbe: {
          httpGet: { path: "/", port: 80, scheme: "HTTP" },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        readinessProbe: { grpc: { port: 81, service: "" }, periodSeconds: 5, failureThreshold: 3 },
      },
    ],
    [
      "a hook",
      { lifecycle: { preStop: { httpGet: { port: "web" } } } },
      { lifecycle: { preStop: { httpGet: { path: "/", port: "web", scheme: "HTTP" } } } },
    ],
    [
      "a limit without a request",
      { resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { memory: "1Mi" } } },
      { resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1", memory: "1Mi" } } },
    ],
    [
      "less than a thousandth",
      { resources: { requests: { cpu: "0.0001" } } },
      { resources: { requests: { cpu: "1m" } } },
    ],
  ])("of a container with %s", async (_, given, expected) => {
    expect(await containerOf(given)).toMatchObject(expected);
  });

  it("set serviceAccount and serviceAccountName", async () => {
    const { spec } = await defaulted({ serviceAccount: "robot" });
    expect(spec).toMatchObject({ serviceAccount: "robot", serviceAccountName: "robot" });
  });

  it("set hostPort of containers with hostNetwork", async () => {
    const container = await containerOf({ ports: [{ containerPort: 8080 }] }, { hostNetwork: true });
    expect(container.ports[0].hostPort).toBe(8080);
  });

  it.each([
    ["no source", {}, { emptyDir: {} }],
    ["a secret", { secret: { secretName: "s" } }, { secret: { secretName: "s", defaultMode: 420 } }],
    ["a config map", { configMap: { name: "m" } }, { configMap: { name: "m", defaultMode: 420 } }],
    ["a path of the host", { hostPath: { path: "/a" } }, { hostPath: { path: "/a", type: "" } }],
    [
      "an image",
      { image: { reference: "a:1" } },
      { image: { reference: "a:1", pullPolicy: "IfNotPresent" } },
    ],
    [
      "fields of the pod",
      { downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "metadata.uid" } }] } },
      { downwardAPI: { defaultMode: 420, items: [{ fieldRef: { apiVersion: "v1" } }] } },
    ],
    [
      "a token",
      { projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
      { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }] } },
    ],
    [
      "a claim of its own",
      {
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1.0001" } } },
          },
        },
      },
      {
        ephemeral: {
          volumeClaimTemplate: {
            spec: { volumeMode: "Filesystem", resources: { requests: { storage: "1001m" } } },
          },
        },
      },
    ],
    [
      "an iscsi disk",
      { iscsi: { targetPortal: "t", iqn: "iqn.2015-02.example.com:test", lun: 0 } },
      { iscsi: { iscsiInterface: "default" } },
    ],
    [
      "a rados block device",
      { rbd: { monitors: ["m"], image: "i" } },
      { rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" } },
    ],
    [
      "an azure disk",
      { azureDisk: { diskName: "d", diskURI: "https://blob.core.windows.net/vhds/d.vhd" } },
      { azureDisk: { cachingMode: "ReadWrite", kind: "Shared", fsType: "ext4", readOnly: false } },
    ],
  ])("of a volume with %s", async (_, volume, expected) => {
    const { spec } = await defaulted({ serviceAccountName: "a", volumes: [{ name: "v", ...volume }] });
    expect(spec.volumes[0]).toMatchObject(expected);
  });

  it.each([
    [
      "requests from limits",
      { limits: { cpu: "2" } },
      [{ requests: { cpu: "500m" } }],
      { limits: { cpu: "2" }, requests: { cpu: "500m" } },
    ],
    [
      "requests equal to limits when no container asks",
      { limits: { memory: "1Gi" } },
      [{}],
      { limits: { memory: "1Gi" }, requests: { memory: "1Gi" } },
    ],
    [
      "limits when every container has one",
      { requests: { cpu: "4" } },
      [{ limits: { cpu: "1" } }, { limits: { cpu: "3" } }],
      { requests: { cpu: "4" }, limits: { cpu: "4" } },
    ],
    ["nothing when it is empty", {}, [{}], {}],
  ])("of pod-level resources: %s", async (_, resources, containers, expected) => {
    const { spec } = await defaulted({
      resources,
      containers: containers.map((own, index) => ({ name: `c${index}`, image: "i", resources: own })),
    });
    expect(spec.resources).toEqual(expected);
  });

  it("set PodScheduled=False with reason SchedulingGated", async () => {
    const { status } = await defaulted({ schedulingGates: [{ name: "example.com/wait" }] });
    expect(status.conditions).toMatchObject([
      { type: "PodScheduled", status: "False", reason: "SchedulingGated" },
    ]);
  });

  it("add matchLabelKeys to label selectors", async () => {
    const term = { topologyKey: "zone", labelSelector: { matchLabels: { app: "a" } } };
    const { spec } = await defaulted(
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { ...term, matchLabelKeys: ["hash", "absent"], mismatchLabelKeys: ["tenant"] },
            ],
          },
        },
        topologySpreadConstraints: [
          { ...term, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", matchLabelKeys: ["hash"] },
        ],
      },
      { labels: { hash: "1", tenant: "t" } },
    );
    const [required] = spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    const followed = { key: "hash", operator: "In", values: ["1"] };
    expect(required.labelSelector.matchExpressions).toEqual([
      followed,
      { key: "tenant", operator: "NotIn", values: ["t"] },
    ]);
    expect(spec.topologySpreadConstraints[0].labelSelector.matchExpressions).toEqual([followed]);
  });
});
