import { describe, expect, it } from "vitest";
import { template as podTemplate, workloadServer } from "../fixtures/workload-server.js";

const server = () => workloadServer("batch/v1", "Job", "jobs");
const shared = server();
const template = (spec: object = {}, labels?: object) =>
  podTemplate({ restartPolicy: "Never", ...spec }, { labels });
const valid = { template: template() };
const uidLabel = "batch.kubernetes.io/controller-uid";
const nameLabel = "batch.kubernetes.io/job-name";

describe("new Job", () => {
  it("gets the defaults of Kubernetes, and a selector for its own pods", async () => {
    const { create } = await server();
    const { metadata, spec, status } = await create("j", { spec: valid });
    const labels = {
      [uidLabel]: metadata.uid,
      [nameLabel]: "j",
      "controller-uid": metadata.uid,
      "job-name": "j",
    };
    expect(spec).toMatchObject({
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      completionMode: "NonIndexed",
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: "TerminatingOrFailed",
      selector: { matchLabels: { [uidLabel]: metadata.uid } },
      template: { metadata: { labels } },
    });
    expect(metadata.labels).toEqual(labels);
    expect(metadata.generation).toBe(1);
    expect(status).toEqual({});
  });

  it.each<[what: string, spec: object, expected: object]>([
    ["a work queue", { parallelism: 3 }, { parallelism: 3, completionMode: "NonIndexed" }],
    [
      "limits by index",
      { completionMode: "Indexed", completions: 2, backoffLimitPerIndex: 1 },
      { backoffLimit: 2147483647 },
    ],
    [
      "a policy for failures",
      { podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "X" }] }] } },
      {
        podReplacementPolicy: "Failed",
        podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "X", status: "True" }] }] },
      },
    ],
  ])("gets defaults for %s", async (_, spec, expected) => {
    const { attempt } = await shared;
    expect((await attempt({ spec: { ...valid, ...spec } })).body.spec).toMatchObject(expected);
  });

  it("keeps its own selector with manualSelector", async () => {
    const { attempt } = await shared;
    const selector = { matchLabels: { a: "b" } };
    const { body } = await attempt({
      spec: { manualSelector: true, selector, template: template({}, { a: "b" }) },
    });
    expect(body.spec.selector).toEqual(selector);
    expect(body.spec.template.metadata.labels).toEqual({ a: "b" });
  });

  it.each<[what: string, spec: object, causes: string[]]>([
    [
      "pods that never end",
      { template: template({ restartPolicy: "Always" }) },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      "negative numbers",
      {
        ...valid,
        parallelism: -1,
        completions: -1,
        backoffLimit: -1,
        activeDeadlineSeconds: -1,
        ttlSecondsAfterFinished: -1,
      },
      ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"].map(
        (name) => `spec.${name}: Invalid value: -1: must be greater than or equal to 0`,
      ),
    ],
    [
      "indexes without an end",
      { ...valid, completionMode: "Indexed", parallelism: 1 },
      ["spec.completions: Required value: when completion mode is Indexed"],
    ],
    [
      "limits by index without indexes",
      { ...valid, backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
      [
        "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
        "spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode",
      ],
    ],
    [
      "a policy for failures",
      {
        ...valid,
        podFailurePolicy: {
          rules: [
            { action: "Explode", onExitCodes: { operator: "In", values: [0, 2, 1] } },
            { action: "FailIndex" },
            { action: "Count", onExitCodes: { operator: "In", containerName: "x", values: [1, 1] } },
          ],
        },
      },
      [
        'spec.podFailurePolicy.rules[0].action: Unsupported value: "Explode": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
        "spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator",
        "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [0,2,1]: must be ordered",
        'spec.podFailurePolicy.rules[1].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
        "spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
        'spec.podFailurePolicy.rules[2].onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template',
        "spec.podFailurePolicy.rules[2].onExitCodes.values[1]: Duplicate value: 1",
      ],
    ],
    [
      "a policy for success without indexes",
      { ...valid, successPolicy: { rules: [{ succeededCount: 1 }] } },
      [
        'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
      ],
    ],
    [
      "a policy for success that cannot be met",
      {
        ...valid,
        completionMode: "Indexed",
        completions: 3,
        successPolicy: { rules: [{ succeededIndexes: "0-5" }, { succeededCount: 4 }, {}] },
      },
      [
        'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-5": error parsing succeededIndexes: too large index: "5"',
        "spec.successPolicy.rules[1].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of specified completions)",
        "spec.successPolicy.rules[2]: Required value: at least one of succeededCount or succeededIndexes must be specified",
      ],
    ],
    [
      "a manager without a domain",
      { ...valid, managedBy: "me" },
      ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
  ])("is refused with %s", async (_, spec, causes) => {
    const { wrong } = await shared;
    expect(await wrong({ spec })).toEqual(causes);
  });

  it("refuses a name that is too long for its pods", async () => {
    const { wrong } = await shared;
    const name = "a".repeat(62);
    const spec = { ...valid, completionMode: "Indexed", completions: 11 };
    expect(await wrong({ spec }, { name })).toEqual([
      `metadata.name: Invalid value: "${name}": will not able to create pod with invalid DNS label: ${name}-10`,
    ]);
  });
});

describe("changed Job", () => {
  const scheduling = { nodeSelector: { a: "b" }, tolerations: [{ key: "a", operator: "Exists" }] };
  const resources = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] };

  it.each<[what: string, spec: object, change: object, causes: string[]]>([
    ["more parallelism", valid, { parallelism: 5 }, []],
    ["a deadline", valid, { activeDeadlineSeconds: 5 }, []],
    [
      "other completions",
      valid,
      { completions: 5 },
      ["spec.completions: Invalid value: 5: field is immutable"],
    ],
    [
      "more indexes, with parallelism",
      { ...valid, completionMode: "Indexed", completions: 2, parallelism: 2 },
      { completions: 3, parallelism: 3 },
      [],
    ],
    [
      "more indexes alone",
      { ...valid, completionMode: "Indexed", completions: 2, parallelism: 2 },
      { completions: 3 },
      ["spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism"],
    ],
    [
      "another mode",
      { ...valid, completions: 1 },
      { completionMode: "Indexed" },
      ['spec.completionMode: Invalid value: "Indexed": field is immutable'],
    ],
    [
      "another place while it is suspended",
      { ...valid, suspend: true },
      { template: { spec: scheduling } },
      [],
    ],
    [
      "other resources while it is suspended",
      { ...valid, suspend: true },
      { template: { spec: resources } },
      [],
    ],
  ])("accepts or refuses %s", async (_, before, change, causes) => {
    const { create, refused } = await server();
    await create("j", { spec: before });
    expect(await refused("j", { spec: change })).toEqual(causes);
  });

  it("refuses another template while it runs", async () => {
    const { create, refused } = await server();
    await create("j", { spec: valid });
    expect(await refused("j", { spec: { template: { spec: scheduling } } })).toEqual([
      expect.stringMatching(/^spec\.template: Invalid value: .*: field is immutable$/s),
    ]);
  });

  const time = "2024-01-01T00:00:00Z";
  const suspended = [{ type: "Suspended", status: "True", lastProbeTime: time, lastTransitionTime: time }];
  it.each<[string, object, boolean]>([
    ["refuses scheduling and resource changes without the condition Suspended", { startTime: time }, false],
    ["accepts them with the condition Suspended", { startTime: time, conditions: suspended }, true],
    ["refuses them while it has active pods", { startTime: time, conditions: suspended, active: 1 }, false],
  ])("suspended again, %s", async (_, status, allowed) => {
    const { create, patch, path, refused } = await server();
    await create("j", { spec: { ...valid, suspend: true } });
    expect((await patch(`${path}/j/status`, { status })).status).toBe(200);
    for (const spec of [scheduling, resources]) {
      const causes = await refused("j", { spec: { template: { spec } } });
      expect(causes.map((cause) => cause.split(":", 1)[0])).toEqual(allowed ? [] : ["spec.template"]);
    }
  });
});

describe("Job status", () => {
  const time = "2024-01-01T00:00:00Z";
  const condition = (...types: string[]) =>
    types.map((type) => ({ type, status: "True", lastProbeTime: time, lastTransitionTime: time }));
  const report = async (status: object, before?: object, spec: object = {}) => {
    const { create, patch, path, refused } = await server();
    await create("j", { spec: { ...valid, ...spec } });
    if (before) expect((await patch(`${path}/j/status`, { status: before })).status).toBe(200);
    return refused("j", { status }, "/status");
  };
  const complete = {
    startTime: time,
    completionTime: time,
    succeeded: 1,
    conditions: condition("SuccessCriteriaMet", "Complete"),
  };

  it.each<[what: string, status: object, causes: string[], before?: object | undefined, spec?: object]>([
    ["its success", complete, []],
    ["its failure", { startTime: time, failed: 1, conditions: condition("FailureTarget", "Failed") }, []],
    [
      "a finished condition without its target condition",
      { ...complete, conditions: condition("Complete") },
      [
        "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
      ],
    ],
    [
      "an end without times",
      { conditions: complete.conditions },
      [
        "status.completionTime: Required value: completionTime is required for Complete jobs",
        "status.startTime: Required value: startTime is required for finished job",
      ],
    ],
    [
      "pods still running at the end",
      { ...complete, active: 1 },
      ["status.active: Invalid value: 1: active>0 is invalid for finished job"],
    ],
    [
      "more ready than active",
      { active: 1, ready: 2 },
      ["status.ready: Invalid value: 2: cannot set more ready pods than active"],
    ],
    [
      "a new beginning",
      { conditions: [], completionTime: null },
      [
        "status.conditions: Invalid value: cannot disable the terminal Complete=True condition",
        "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition",
      ],
      complete,
    ],
    [
      "fewer failures",
      { failed: 1 },
      ["status.failed: Invalid value: 1: cannot decrease the failed counter"],
      { failed: 2 },
    ],
    [
      "indexes it does not have",
      { completedIndexes: "0,5" },
      ['status.completedIndexes: Invalid value: "0,5": error parsing completedIndexes: too large index: "5"'],
      undefined,
      { completionMode: "Indexed", completions: 3 },
    ],
    [
      "indexes that failed and succeeded",
      { completedIndexes: "0,1", failedIndexes: "1,2" },
      ['status.failedIndexes: Invalid value: "1,2": failedIndexes and completedIndexes overlap at index: 1'],
      undefined,
      { completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 1 },
    ],
    [
      "a pod twice",
      { uncountedTerminatedPods: { succeeded: ["a"], failed: ["a", ""] } },
      [
        'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
        'status.uncountedTerminatedPods.failed[1]: Invalid value: "": must not be empty',
      ],
    ],
  ])("refuses or accepts %s", async (_, status, causes, before, spec) => {
    expect(await report(status, before, spec)).toEqual(causes);
  });
});

it("Job: warns when it is deleted without a propagation policy", async () => {
  const { create, call, path } = await server();
  await create("j", { spec: valid });
  await create("k", { spec: valid });
  const { warnings } = await call("DELETE", `${path}/j`);
  expect(warnings[0]).toContain("child pods are preserved by default when jobs are deleted");
  const explicit = await call("DELETE", `${path}/k`, undefined, {
    query: { propagationPolicy: "Background" },
  });
  expect(explicit.warnings).toEqual([]);
});
