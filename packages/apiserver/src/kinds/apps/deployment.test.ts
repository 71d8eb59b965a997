import { describe, expect, it } from "vitest";
import { defaultedPodSpec, selector, template, workloadServer } from "../fixtures/workload-server.js";

const server = () => workloadServer("apps/v1", "Deployment", "deployments");
const shared = server();
const valid = { selector, template: template() };

describe("Deployment", () => {
  it("gets the defaults of Kubernetes", async () => {
    const { attempt } = await shared;
    const { status, body } = await attempt({ spec: valid });
    expect(status).toBe(201);
    expect(body.spec).toMatchObject({
      replicas: 1,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      template: { spec: { ...defaultedPodSpec, containers: [{ imagePullPolicy: "Always" }] } },
    });
    expect(body.spec.template.spec.enableServiceLinks).toBeUndefined();
    expect(body).toMatchObject({ metadata: { generation: 1 }, status: {} });
  });

  it("gets no rollingUpdate with strategy Recreate", async () => {
    const { attempt } = await shared;
    const { body } = await attempt({ spec: { ...valid, strategy: { type: "Recreate" } } });
    expect(body.spec.strategy).toEqual({ type: "Recreate" });
  });

  it.each<[what: string, spec: object, causes: string[]]>([
    [
      "nothing",
      {},
      [
        "spec.selector: Required value",
        "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
        "spec.template.spec.containers: Required value",
      ],
    ],
    [
      "an empty selector",
      { selector: {}, template: template() },
      ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
    ],
    [
      "pods that preempt in no way",
      { selector, template: template({ preemptionPolicy: "" }) },
      ["spec.template.spec.preemptionPolicy: Required value"],
    ],
    [
      "a selector of other pods",
      { selector: { matchLabels: { app: "b" } }, template: template() },
      [
        'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      ],
    ],
    [
      "no labels, said so",
      { selector, template: { ...template(), metadata: { labels: {} } } },
      ["spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`"],
    ],
    [
      "a selector with a bad operator",
      { selector: { matchExpressions: [{ key: "app", operator: "Like" }] }, template: template() },
      [
        'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Like"}]}: invalid label selector',
      ],
    ],
    [
      "pods that end",
      { selector, template: template({ restartPolicy: "Never", activeDeadlineSeconds: 5 }) },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported",
      ],
    ],
    [
      "negative numbers",
      { ...valid, replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -2 },
      [
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
        "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
        "spec.progressDeadlineSeconds: Invalid value: -2: must be greater than or equal to 0",
        "spec.progressDeadlineSeconds: Invalid value: -2: must be greater than minReadySeconds",
      ],
    ],
    [
      "an unknown strategy",
      { ...valid, strategy: { type: "Magic" } },
      [
        'spec.strategy: Unsupported value: {"Type":"Magic","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      "a rolling recreation",
      { ...valid, strategy: { type: "Recreate", rollingUpdate: {} } },
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      "no way to roll",
      { ...valid, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } },
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
    ],
    [
      "percentages",
      { ...valid, strategy: { rollingUpdate: { maxSurge: "x", maxUnavailable: "101%" } } },
      [
        "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"x\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
      ],
    ],
    [
      "a container without an image",
      { selector, template: template({ containers: [{ name: "c" }] }) },
      ["spec.template.spec.containers[0].image: Required value"],
    ],
  ])("is refused with %s", async (_, spec, causes) => {
    const { wrong } = await shared;
    expect(await wrong({ spec })).toEqual(causes);
  });

  it("refuses another selector", async () => {
    const { create, refused } = await server();
    await create("d", { spec: valid });
    const matchLabels = { app: "a", b: "c" };
    expect(
      await refused("d", {
        spec: { selector: { matchLabels }, template: { metadata: { labels: matchLabels } } },
      }),
    ).toEqual(['spec.selector: Invalid value: {"matchLabels":{"app":"a","b":"c"}}: field is immutable']);
  });

  it("counts changes of its spec and its annotations in generation", async () => {
    const { create, patch, path } = await server();
    await create("d", { spec: valid });
    const generation = async (change: object, sub = "") =>
      (await patch(`${path}/d${sub}`, change)).body.metadata.generation;
    expect(await generation({ metadata: { labels: { x: "y" } } })).toBe(1);
    expect(await generation({ spec: { replicas: 2 } })).toBe(2);
    expect(await generation({ spec: { replicas: 2 } })).toBe(2);
    expect(await generation({ metadata: { annotations: { x: "y" } } })).toBe(3);
    expect(await generation({ status: { replicas: 1 } }, "/status")).toBe(3);
  });

  it("ignores status in writes of the object, and all but status in writes of the status", async () => {
    const { create, patch, path, refused } = await server();
    await create("d", { spec: valid, status: { replicas: 7 } });
    const { body } = await patch(`${path}/d/status`, {
      metadata: { labels: { a: "b" }, annotations: { a: "b" } },
      spec: { replicas: 5 },
      status: { replicas: 3, collisionCount: 2 },
    });
    expect(body.metadata.labels).toBeUndefined();
    expect(body.metadata.annotations).toEqual({ a: "b" });
    expect(body).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 3 } });
    expect(
      await refused(
        "d",
        { status: { readyReplicas: 4, availableReplicas: 5, terminatingReplicas: -1, collisionCount: 1 } },
        "/status",
      ),
    ).toEqual([
      "status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0",
      "status.readyReplicas: Invalid value: 4: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 5: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 5: cannot be greater than readyReplicas",
      "status.collisionCount: Invalid value: 1: cannot be decremented",
    ]);
  });

  it("warns about its name and about its template", async () => {
    const { attempt } = await shared;
    const nodeSelector = { "beta.kubernetes.io/arch": "x" };
    const { warnings } = await attempt(
      { spec: { selector, template: template({ nodeSelector }) } },
      { name: "a.b" },
    );
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain("metadata.name: this is used in Pod names and hostnames");
    expect(warnings[1]).toContain(
      "spec.template.spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14",
    );
  });
});
