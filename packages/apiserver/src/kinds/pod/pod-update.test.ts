import { describe, expect, it } from "vitest";
import { podServer, podsPath } from "../fixtures/pod-server.js";

const spec =
  "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const server = podServer({ disableAdmission: ["ServiceAccount", "DefaultTolerationSeconds"] });
let count = 0;

/** Creates a pod and patches it: the causes of the refusal, or the pod. */
async function change(before: object, patched: object) {
  const { create, patch, causes } = await server;
  const { metadata } = await create(`u${++count}`, before);
  const answer = await patch(`${podsPath}/${metadata.name}`, patched);
  return answer.status === 200 ? answer.body : causes(answer).map((cause) => cause.split("\n")[0]);
}
const tolerate = (...keys: string[]) => keys.map((key) => ({ key, operator: "Exists" }));
const nodeAffinity = (...values: string[][]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: values.map((list) => ({ key: "zone", operator: "In", values: list })) },
        ],
      },
    },
  },
});

describe("pod update", () => {
  it.each<[what: string, before: object, change: object, spec: object]>([
    [
      "another image",
      {},
      { spec: { containers: [{ name: "c", image: "other" }] } },
      { containers: [{ name: "c", image: "other", imagePullPolicy: "Always" }] },
    ],
    ["a deadline", {}, { spec: { activeDeadlineSeconds: 10 } }, { activeDeadlineSeconds: 10 }],
    [
      "a closer deadline",
      { activeDeadlineSeconds: 10 },
      { spec: { activeDeadlineSeconds: 5 } },
      { activeDeadlineSeconds: 5 },
    ],
    [
      "more tolerations",
      { tolerations: tolerate("a") },
      { spec: { tolerations: tolerate("b", "a") } },
      { tolerations: tolerate("b", "a") },
    ],
    [
      "a gate less",
      { schedulingGates: [{ name: "a" }, { name: "b" }] },
      { spec: { schedulingGates: [{ name: "b" }] } },
      { schedulingGates: [{ name: "b" }] },
    ],
    [
      "a narrower choice of nodes while gated",
      { schedulingGates: [{ name: "a" }], nodeSelector: { a: "1" }, ...nodeAffinity(["x"]) },
      { spec: { nodeSelector: { b: "2" }, ...nodeAffinity(["x"], ["y"]) } },
      { nodeSelector: { a: "1", b: "2" }, ...nodeAffinity(["x"], ["y"]) },
    ],
  ])("accepts %s", async (_, before, changed, expected) => {
    const pod = await change(before, changed);
    expect(pod.spec).toMatchObject(expected);
    expect(pod.metadata.generation).toBe(2);
  });

  it.each<[what: string, before: object, change: object, causes: string[]]>([
    ["another node", {}, { spec: { nodeName: "n" } }, [spec]],
    ["another command", {}, { spec: { containers: [{ name: "c", image: "i", command: ["x"] }] } }, [spec]],
    [
      "more containers",
      {},
      { spec: { containers: ["c", "d"].map((name) => ({ name, image: "i" })) } },
      ["spec.containers: Forbidden: pod updates may not add or remove containers"],
    ],
    [
      "no image",
      {},
      { spec: { containers: [{ name: "c", image: "", imagePullPolicy: "Always" }] } },
      ["spec.containers[0].image: Required value", "spec.containers[0].image: Required value"],
    ],
    [
      "a later deadline",
      { activeDeadlineSeconds: 5 },
      { spec: { activeDeadlineSeconds: 6 } },
      ["spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value"],
    ],
    [
      "no deadline any more",
      { activeDeadlineSeconds: 5 },
      { spec: { activeDeadlineSeconds: null } },
      [
        "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
      ],
    ],
    [
      "fewer tolerations",
      { tolerations: tolerate("a", "b") },
      { spec: { tolerations: tolerate("a") } },
      ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
    ],
    [
      "new gates",
      { schedulingGates: [{ name: "a" }] },
      { spec: { schedulingGates: [{ name: "b" }] } },
      [
        "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'b'",
      ],
    ],
    [
      "another choice of nodes while gated",
      { schedulingGates: [{ name: "a" }], nodeSelector: { a: "1" }, ...nodeAffinity(["x"]) },
      { spec: { nodeSelector: { a: "2" }, ...nodeAffinity(["y"]) } },
      [
        'spec.nodeSelector: Invalid value: {"a":"2"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
        expect.stringMatching(
          /nodeSelectorTerms\[0\]: Invalid value: .*: only additions are allowed \(no mutations or deletions\)$/,
        ),
      ],
    ],
  ])("refuses %s", async (_, before, changed, causes) => {
    expect(await change(before, changed)).toEqual(causes);
  });

  it("ignores the status, and refuses another mirror annotation", async () => {
    const { create, patch, causes } = await server;
    await create("marked", { nodeName: "n" }, { annotations: { "kubernetes.io/config.mirror": "x" } });
    const { body } = await patch(`${podsPath}/marked`, { status: { phase: "Running" } });
    expect(body.status.phase).toBe("Pending");
    const annotations = { "kubernetes.io/config.mirror": "y" };
    expect(causes(await patch(`${podsPath}/marked`, { metadata: { annotations } }))).toEqual([
      "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not remove or update mirror pod annotation",
    ]);
  });
});

describe("pod status update", () => {
  const report = async (before: object, status: object, statusBefore: object = {}) => {
    const { create, patch, causes } = await server;
    const { metadata } = await create(`s${++count}`, before);
    const path = `${podsPath}/${metadata.name}/status`;
    expect((await patch(path, { status: statusBefore })).status).toBe(200);
    const answer = await patch(path, { status });
    return answer.status === 200 ? answer.body : causes(answer);
  };
  const ended = (exitCode: number) => ({
    containerStatuses: [
      {
        name: "c",
        image: "i",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode } },
      },
    ],
  });
  const running = {
    containerStatuses: [
      { name: "c", image: "i", imageID: "", ready: true, restartCount: 1, state: { running: {} } },
    ],
  };

  it("changes nothing but the status and labels", async () => {
    const { create, patch } = await server;
    await create("apart");
    const { body } = await patch(`${podsPath}/apart/status`, {
      metadata: { labels: { a: "b" } },
      spec: { nodeName: "n" },
      status: { phase: "Running", podIP: "10.0.0.1" },
    });
    expect(body.spec.nodeName).toBeUndefined();
    expect(body.metadata).toMatchObject({ labels: { a: "b" }, generation: 1 });
    expect(body.status).toEqual({
      phase: "Running",
      qosClass: "BestEffort",
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }],
    });
  });

  it.each<[what: string, before: object, statusBefore: object, status: object, causes: string[]]>([
    [
      "a container that ended for good",
      { restartPolicy: "Never" },
      ended(1),
      running,
      ["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"],
    ],
    [
      "a container that succeeded",
      { restartPolicy: "OnFailure" },
      ended(0),
      running,
      ["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"],
    ],
    [
      "another class",
      {},
      {},
      { qosClass: "Guaranteed" },
      ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
    ],
    [
      "addresses",
      {},
      {},
      { podIPs: [{ ip: "x" }] },
      [expect.stringMatching(/^status\.podIPs\[0\]: Invalid value: "x": must be a valid IP address/)],
    ],
    [
      "a condition with a bad name",
      {},
      {},
      { conditions: [{ type: "a b", status: "True" }] },
      [expect.stringMatching(/^status\.conditions\[0\]\.Type: Invalid value: "a b"/)],
    ],
    [
      "claims it does not have",
      {},
      {},
      { resourceClaimStatuses: [{ name: "x", resourceClaimName: "y" }] },
      [
        'status.resourceClaimStatuses[0].name: Invalid value: "x": must match the name of an entry in `spec.resourceClaims`',
      ],
    ],
  ])("refuses %s", async (_, before, statusBefore, status, causes) => {
    expect(await report(before, status, statusBefore)).toEqual(causes);
  });

  it("accepts containers that run again", async () => {
    expect((await report({ restartPolicy: "OnFailure" }, running, ended(1))).status).toMatchObject(running);
    expect((await report({}, running, ended(0))).status).toMatchObject(running);
  });

  it("keeps observed generations", async () => {
    const seen = {
      observedGeneration: 1,
      conditions: [{ type: "Ready", status: "True", observedGeneration: 1 }],
    };
    const { status } = await report(
      {},
      { observedGeneration: null, conditions: [{ type: "Ready", status: "False" }] },
      seen,
    );
    expect(status).toMatchObject({
      observedGeneration: 1,
      conditions: [{ status: "False", observedGeneration: 1 }],
    });
  });
});
