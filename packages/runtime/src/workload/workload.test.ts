import { ApiError, type Deployment, type Pod, type ServicePort, TerminalError } from "@kubewright/api";
import { describe, expect, it, test } from "vitest";
import { ForeignChildError } from "../controller/foreign-child-error.js";
import { childFailure } from "./failure.js";
import { podProblem, worstProblem } from "./pod-problem.js";
import { containerPorts } from "./ports.js";
import { rolloutConditions } from "./rollout.js";
import { addressOf, nodePortsOf, serviceSpec } from "./service.js";

const waiting = (reason: string, message = "", lastState = {}): Pod => ({
  status: {
    containerStatuses: [
      {
        name: "app",
        image: "shop:9",
        imageID: "",
        ready: false,
        restartCount: 1,
        state: { waiting: { reason, message } },
        lastState,
      },
    ],
  },
});

describe("a pod's problem", () => {
  test.each<[string, Pod, string | undefined, string]>([
    ["none while it starts", waiting("ContainerCreating"), undefined, ""],
    ["an image", waiting("ImagePullBackOff"), "ImagePullFailed", "image shop:9 of container app"],
    [
      "a missing Secret",
      waiting("CreateContainerConfigError", 'secret "s" not found'),
      "ContainerNotCreated",
      'secret "s" not found',
    ],
    [
      "a crash loop",
      waiting("CrashLoopBackOff", "back-off 20s", { terminated: { exitCode: 3 } }),
      "CrashLooping",
      "exits with code 3 again and again",
    ],
    [
      "too little memory",
      waiting("CrashLoopBackOff", "", { terminated: { exitCode: 137, reason: "OOMKilled" } }),
      "OutOfMemory",
      "more memory than its limit",
    ],
    [
      "no node",
      {
        status: {
          conditions: [
            {
              type: "PodScheduled",
              status: "False",
              reason: "Unschedulable",
              message: "0/1 nodes are available",
            },
          ],
        },
      },
      "Unschedulable",
      "0/1 nodes are available",
    ],
  ])("is %s", (_, pod, reason, text) => {
    expect(podProblem(pod)?.reason).toBe(reason);
    expect(podProblem(pod)?.message ?? "").toContain(text);
  });

  it("is that of most pods, with how many there are; pods on their way out do not count", () => {
    const image = waiting("ErrImagePull");
    const going = { ...waiting("CrashLoopBackOff"), metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(worstProblem([image, going, image, {}])?.message).toMatch(/^2 of 4 pods: image shop:9/);
    expect(worstProblem([{}])).toBeUndefined();
  });
});

describe("the conditions of a rollout", () => {
  const deployment = (status: Deployment["status"], replicas = 2): Deployment => ({
    metadata: { generation: 2 },
    spec: { replicas, selector: {}, template: {} },
    status,
  });
  const available = { type: "Available", status: "True" };
  const said = (subject: Deployment, pods: Pod[] = []) =>
    rolloutConditions(subject, pods).map(({ type, status, reason }) => `${type}=${status} ${reason}`);

  it("report a rollout that is done", () => {
    const status = {
      observedGeneration: 2,
      replicas: 2,
      updatedReplicas: 2,
      availableReplicas: 2,
      conditions: [available],
    };
    expect(said(deployment(status))).toEqual([
      "Available=True EnoughPods",
      "Progressing=False RolledOut",
      "Degraded=False AsExpected",
    ]);
  });

  it("do not take a status about an earlier spec for rolled out, and its pods still for available", () => {
    const status = {
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      availableReplicas: 2,
      conditions: [available],
    };
    expect(said(deployment(status))).toEqual([
      "Available=True EnoughPods",
      "Progressing=True RollingOut",
      "Degraded=False AsExpected",
    ]);
  });

  it("report the problems of new pods, also while enough old ones are ready", () => {
    const status = {
      observedGeneration: 2,
      replicas: 3,
      updatedReplicas: 1,
      availableReplicas: 2,
      conditions: [available],
    };
    expect(said(deployment(status), [waiting("ErrImagePull")])).toEqual([
      "Available=True EnoughPods",
      "Progressing=True RollingOut",
      "Degraded=True ImagePullFailed",
    ]);
  });

  it("mirror a missed progress deadline, but not one of an earlier spec", () => {
    const missed = {
      type: "Progressing",
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: 'ReplicaSet "web-1" has timed out progressing.',
    };
    const status = { replicas: 2, updatedReplicas: 2, conditions: [missed] };
    expect(said(deployment({ ...status, observedGeneration: 2 }))).toEqual([
      "Available=False ProgressDeadlineExceeded",
      "Progressing=False ProgressDeadlineExceeded",
      "Degraded=True ProgressDeadlineExceeded",
    ]);
    expect(said(deployment({ ...status, observedGeneration: 1 }))[1]).toBe("Progressing=True RollingOut");
    const pods = [waiting("ErrImagePull")];
    expect(said(deployment({ ...status, observedGeneration: 2 }), pods)[2]).toBe(
      "Degraded=True ImagePullFailed",
    );
  });

  it("report a quota that lets no pod be created", () => {
    const failure = {
      type: "ReplicaFailure",
      status: "True",
      message: 'pods "x" is forbidden: exceeded quota: q',
    };
    expect(said(deployment({ observedGeneration: 2, conditions: [failure] }))[2]).toBe(
      "Degraded=True QuotaExceeded",
    );
  });
});

describe("the ports of a workload's Service", () => {
  test.each<[string, ServicePort[], object[]]>([
    ["a number", [{ port: 80, targetPort: 8080 }], [{ containerPort: 8080, protocol: "TCP" }]],
    ["none", [{ port: 80 }], [{ containerPort: 80, protocol: "TCP" }]],
    ["a name", [{ port: 80, targetPort: "http" }], [{ name: "http", containerPort: 80, protocol: "TCP" }]],
    [
      "the same for two",
      [
        { port: 80, targetPort: 8080 },
        { port: 81, targetPort: 8080 },
        { port: 53, protocol: "UDP" },
      ],
      [
        { containerPort: 8080, protocol: "TCP" },
        { containerPort: 53, protocol: "UDP" },
      ],
    ],
  ])("of the container, where the target port is %s", (_, ports, expected) => {
    expect(containerPorts(ports)).toEqual(expected);
  });
});

describe("the Service of a workload", () => {
  const selector = { app: "web" };

  test("is a NodePort by default only where a port asks for one", () => {
    const ports = [{ port: 80, nodePort: 30010 }];
    expect(serviceSpec({ ports, selector })).toMatchObject({
      type: "NodePort",
      ports: [{ nodePort: 30010 }],
    });
    expect(serviceSpec({ ports: [{ port: 80 }], selector }).type).toBe("ClusterIP");
    expect(serviceSpec({ type: "ClusterIP", ports, selector }).ports).toEqual([
      { port: 80, protocol: "TCP" },
    ]);
  });

  test("may be headless, and names its ports where there are several", () => {
    const spec = serviceSpec({
      type: "Headless",
      ports: [{ port: 80 }, { port: 53, protocol: "UDP", name: "dns" }],
      selector,
    });
    expect(spec).toEqual({
      type: "ClusterIP",
      clusterIP: "None",
      selector,
      ports: [
        { port: 80, protocol: "TCP", name: "tcp-80" },
        { port: 53, protocol: "UDP", name: "dns" },
      ],
    });
  });

  test("has an address", () => {
    const metadata = { name: "web", namespace: "shop" };
    expect(addressOf({ metadata })).toBe("web.shop.svc");
    const status = { loadBalancer: { ingress: [{ ip: "10.1.2.3" }] } };
    expect(addressOf({ metadata, spec: { type: "LoadBalancer" }, status })).toBe("10.1.2.3");
    expect(nodePortsOf({ spec: { ports: [{ port: 1, nodePort: 30001 }, { port: 2 }] } })).toEqual([30001]);
  });
});

test.each<[unknown, string]>([
  [new ForeignChildError("Deployment shop/web"), "NameTaken"],
  [
    new ApiError("spec.ports[0].nodePort: provided port is already allocated", {
      code: 422,
      reason: "Invalid",
    }),
    "NodePortTaken",
  ],
  [new ApiError("exceeded quota: small", { code: 403, reason: "Forbidden" }), "QuotaExceeded"],
  [new ApiError("no", { code: 403, reason: "Forbidden" }), "Forbidden"],
  [new ApiError("spec: Required", { code: 422, reason: "Invalid" }), "Refused"],
  [new ApiError("down", { code: 503, reason: "ServiceUnavailable" }), "ServerError"],
  [new TerminalError("not valid"), "NotPossible"],
  [new TypeError("bug"), "ReconcileFailed"],
])("a workload failure %s is reported with a reason", (error, reason) => {
  expect(childFailure(error)).toMatchObject({ type: "Degraded", status: "True", reason });
});
