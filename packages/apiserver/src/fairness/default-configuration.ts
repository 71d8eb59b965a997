// The priority levels and flow schemas every cluster starts with.

import { type FlowSchemaSpec, formatTime } from "@kubewright/api";
import { allRequests, allUsers, mandatoryLevels, mandatorySchemas } from "@kubewright/kinds";
import { createMissing } from "../bootstrap/create-missing.js";

import type { Services } from "../registry/request-context.js";

export const flowSchemaTable = "flowcontrol.apiserver.k8s.io/flowschemas";
export const priorityLevelTable = "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations";

const apiVersion = "flowcontrol.apiserver.k8s.io/v1";
const annotations = { "apf.kubernetes.io/autoupdate-spec": "true" };

/** Name, concurrency shares, percentage others may borrow, queues, hand size. */
const limitedLevels = [
  ["global-default", 20, 50, 128, 6],
  ["leader-election", 10, 0, 16, 4],
  ["node-high", 40, 25, 64, 6],
  ["system", 30, 33, 64, 6],
  ["workload-high", 40, 50, 128, 6],
  ["workload-low", 100, 90, 128, 6],
] as const;

const group = (name: string) => ({ kind: "Group", group: { name } });
const user = (name: string) => ({ kind: "User", user: { name } });
const systemAccount = (name: string) => ({
  kind: "ServiceAccount",
  serviceAccount: { name, namespace: "kube-system" },
});
const leading = (apiGroup: string, resources: readonly string[], namespace = "*") => ({
  verbs: ["get", "create", "update"],
  apiGroups: [apiGroup],
  resources,
  namespaces: [namespace],
});
const leases = leading("coordination.k8s.io", ["leases"]);
const probes = {
  nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
};
const nodes = {
  resourceRules: [
    {
      verbs: ["*"],
      apiGroups: [""],
      resources: ["nodes", "nodes/status"],
      clusterScope: true,
      namespaces: ["*"],
    },
    { verbs: ["*"], apiGroups: ["coordination.k8s.io"], resources: ["leases"], namespaces: ["*"] },
  ],
};

/** Name, priority level, precedence, flow distinguisher, subjects and rules. */
const flowSchemas = [
  ["probes", "exempt", 2, undefined, allUsers, probes],
  [
    "system-leader-election",
    "leader-election",
    100,
    "ByUser",
    [user("system:kube-controller-manager"), user("system:kube-scheduler"), systemAccount("*")],
    { resourceRules: [leases] },
  ],
  [
    "endpoint-controller",
    "workload-high",
    150,
    "ByUser",
    [
      user("system:kube-controller-manager"),
      systemAccount("endpoint-controller"),
      systemAccount("endpointslicemirroring-controller"),
    ],
    { resourceRules: [leading("", ["endpoints"])] },
  ],
  [
    "workload-leader-election",
    "leader-election",
    200,
    "ByUser",
    [systemAccount("*")],
    { resourceRules: [leading("", ["endpoints", "configmaps"]), leases] },
  ],
  ["system-node-high", "node-high", 400, "ByUser", [group("system:nodes")], nodes],
  ["system-nodes", "system", 500, "ByUser", [group("system:nodes")], allRequests],
  [
    "kube-controller-manager",
    "workload-high",
    800,
    "ByNamespace",
    [user("system:kube-controller-manager")],
    allRequests,
  ],
  ["kube-scheduler", "workload-high", 800, "ByNamespace", [user("system:kube-scheduler")], allRequests],
  ["kube-system-service-accounts", "workload-high", 900, "ByNamespace", [systemAccount("*")], allRequests],
  ["service-accounts", "workload-low", 9000, "ByUser", [group("system:serviceaccounts")], allRequests],
  ["global-default", "global-default", 9900, "ByUser", allUsers, allRequests],
] as const;

/** Creates what is missing. */
export function createFlowControl(services: Services): void {
  const level = (name: string, spec: object): void =>
    createMissing(services, priorityLevelTable, {
      apiVersion,
      kind: "PriorityLevelConfiguration",
      metadata: { name, generation: 1, annotations },
      spec,
      status: {},
    });
  for (const [name, spec] of mandatoryLevels)
    level(name, spec.type === "Exempt" ? { ...spec, exempt: lendingNothing } : spec);
  for (const [name, nominalConcurrencyShares, lendablePercent, queues, handSize] of limitedLevels) {
    const limitResponse = { type: "Queue", queuing: { queues, handSize, queueLengthLimit: 50 } };
    level(name, { type: "Limited", limited: { nominalConcurrencyShares, limitResponse, lendablePercent } });
  }
  for (const [name, spec] of mandatorySchemas) createFlowSchema(services, name, spec);
  for (const [name, level, matchingPrecedence, method, subjects, rules] of flowSchemas) {
    createFlowSchema(services, name, {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(method === undefined ? {} : { distinguisherMethod: { type: method } }),
      rules: [{ subjects, ...rules }],
    });
  }
}

const lendingNothing = { nominalConcurrencyShares: 0, lendablePercent: 0 };

function createFlowSchema(services: Services, name: string, spec: FlowSchemaSpec): void {
  const level = spec.priorityLevelConfiguration.name;
  const condition = {
    type: "Dangling",
    status: "False",
    lastTransitionTime: formatTime(services.clock.now()),
    reason: "Found",
    message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`,
  };
  createMissing(services, flowSchemaTable, {
    apiVersion,
    kind: "FlowSchema",
    metadata: { name, generation: 1, annotations },
    spec,
    status: { conditions: [condition] },
  });
}
