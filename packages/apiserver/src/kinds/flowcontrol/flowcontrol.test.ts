import { expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const apiVersion = "flowcontrol.apiserver.k8s.io/v1";

const attempt = async (kind: "FlowSchema" | "PriorityLevelConfiguration", spec: object, name = "x") => {
  const server = await kindServer();
  const answer = await server.call("POST", `${group}/${kind.toLowerCase()}s`, {
    apiVersion,
    kind,
    metadata: { name },
    spec,
  });
  return { ...answer, causes: server.causes(answer) };
};

const rule = {
  subjects: [{ kind: "User", user: { name: "u" } }],
  resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["*"] }],
};
const flow = (change: object = {}) => ({
  priorityLevelConfiguration: { name: "low" },
  rules: [rule],
  ...change,
});
const queue = (queuing: object) => ({
  type: "Limited",
  limited: { limitResponse: { type: "Queue", queuing } },
});

it("FlowSchema and PriorityLevelConfiguration: get the defaults of Kubernetes", async () => {
  expect((await attempt("FlowSchema", flow())).body.spec.matchingPrecedence).toBe(1000);
  expect((await attempt("PriorityLevelConfiguration", queue({}))).body.spec.limited).toEqual({
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
    limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
  });
});

it.each([
  [
    flow({ matchingPrecedence: -1 }),
    ["spec.matchingPrecedence: Invalid value: -1: must be a positive value"],
  ],
  [
    flow({ matchingPrecedence: 1 }),
    [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ],
  ],
  [
    flow({ distinguisherMethod: { type: "ByMood" } }),
    [
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"ByMood"}: supported values: "ByNamespace", "ByUser"',
    ],
  ],
  [
    flow({ priorityLevelConfiguration: {} }),
    ["spec.priorityLevelConfiguration.name: Required value: must reference a priority level"],
  ],
  [
    flow({ rules: [{ ...rule, subjects: [] }] }),
    ["spec.rules[0].subjects: Required value: subjects must contain at least one value"],
  ],
  [
    flow({ rules: [{ ...rule, subjects: [{ kind: "User", group: { name: "g" } }] }] }),
    [
      "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
      "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
    ],
  ],
  [
    flow({
      rules: [{ subjects: rule.subjects, nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/a*"] }] }],
    }),
    [
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a*": wildcard can only do suffix matching',
    ],
  ],
])("FlowSchema: refuses %j", async (spec, causes) => {
  expect((await attempt("FlowSchema", spec)).causes).toEqual(causes);
});

it.each([
  [
    { type: "Exempt" },
    ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
  ],
  [{ type: "Limited" }, ["spec.limited: Required value: must not be empty when type is Limited"]],
  [
    queue({ handSize: 9, queues: 8 }),
    ["spec.limited.limitResponse.queuing.handSize: Invalid value: 9: should not be greater than queues (8)"],
  ],
  [
    queue({ handSize: 12, queues: 64 }),
    [
      "spec.limited.limitResponse.queuing.handSize: Invalid value: 12: required entropy bits of deckSize 64 and handSize 12 should not be greater than 60",
    ],
  ],
  [
    { type: "Limited", limited: { lendablePercent: 101, limitResponse: { type: "Reject" } } },
    ["spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive"],
  ],
])("PriorityLevelConfiguration: refuses %j", async (spec, causes) => {
  expect((await attempt("PriorityLevelConfiguration", spec)).causes).toEqual(causes);
});

it("FlowSchema and PriorityLevelConfiguration: refuse changes of the mandatory ones", async () => {
  const { patch, call, causes } = await kindServer();
  const change = async (path: string, spec: object) => causes(await patch(`${group}/${path}`, { spec }));
  expect(await change("flowschemas/catch-all", { matchingPrecedence: 9000 })).toEqual([
    expect.stringMatching(/^spec: Invalid value: .*: spec of 'catch-all' must equal the fixed value$/),
  ]);
  expect(await change("prioritylevelconfigurations/catch-all", { limited: { lendablePercent: 5 } })).toEqual([
    `spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":5,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":5,"BorrowingLimitPercent":null},"Exempt":null}: spec of 'catch-all' must equal the fixed value`,
  ]);
  const labelled = await patch(`${group}/flowschemas/exempt`, { metadata: { labels: { a: "b" } } });
  expect(labelled.status).toBe(200);
  const lent = { spec: { exempt: { lendablePercent: 10 } } };
  expect((await patch(`${group}/prioritylevelconfigurations/exempt`, lent)).status).toBe(200);
  expect((await call("GET", `${group}/prioritylevelconfigurations/catch-all`)).body.spec.type).toBe(
    "Limited",
  );
  expect((await patch(`${group}/prioritylevelconfigurations/catch-all`, {})).status).toBe(200);
});
