import { ConfigMap } from "@kubewright/api";
import { defineController, defineManager, type ManagerOptions } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { expect, test } from "vitest";
import { defaultManagerSettings } from "./manager-settings.js";
import type { ManifestSettings } from "./manifest-settings.js";
import { operatorOf } from "./operator.js";
import { noPatches } from "./own-patches.js";
import { kindRoles, managerRoles } from "./rbac.js";

const Shop = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Shop",
  spec: z.object({ size: z.int() }),
  status: z.object({ size: z.int().optional() }),
});
const settings: ManifestSettings = {
  namespace: "shop-system",
  deployment: "web-controller-manager",
  image: "shop:1",
  version: "1.0.0",
  description: "Shops",
  manager: defaultManagerSettings,
  replicas: 1,
  prometheus: false,
  grafana: false,
  certManager: false,
  networkPolicy: false,
  imported: new Set<string>(),
  patches: noPatches,
  edited: new Map(),
};
const controller = defineController(Shop, { owns: [ConfigMap], reconcile: async () => undefined });
const operatorWith = (options: Partial<ManagerOptions> = {}) =>
  operatorOf(defineManager({ name: "shop", controllers: [controller], ...options }), settings);

/** `Role a/shop-manager-role: configmaps, shops, …`. */
const roles = (options: Partial<ManagerOptions>): string[] =>
  managerRoles(operatorWith(options)).flatMap(({ objects: [role] }) => {
    const { namespace, name } = role?.metadata ?? { name: "" };
    const rules = role?.["rules"];
    const resources = Array.isArray(rules)
      ? rules.flatMap((rule: { resources: string[] }) => rule.resources)
      : [];
    return `${role?.kind} ${namespace ? `${namespace}/` : ""}${name}: ${[...new Set(resources)].sort().join(", ")}`;
  });

const needed = "configmaps, events, shops, shops/finalizers, shops/status";
const lease = "Role shop-system/shop-leader-election-role: leases";
const metrics = "ClusterRole shop-metrics-auth-role: subjectaccessreviews, tokenreviews";

test.each<[string, Partial<ManagerOptions>, string[]]>([
  ["of the whole cluster", {}, [`ClusterRole shop-manager-role: ${needed}`, lease, metrics]],
  [
    "of two namespaces",
    { namespaces: ["a", "b"] },
    [`Role a/shop-manager-role: ${needed}`, `Role b/shop-manager-role: ${needed}`, lease, metrics],
  ],
  ["without a leader", { leaderElection: false }, [`ClusterRole shop-manager-role: ${needed}`, metrics]],
  [
    "with its lease elsewhere",
    { leaderElection: { namespace: "leases" } },
    [`ClusterRole shop-manager-role: ${needed}`, "Role leases/shop-leader-election-role: leases", metrics],
  ],
])("a manager %s is allowed what it needs, where it needs it", (_, options, expected) => {
  expect(roles(options)).toEqual(expected);
});

test("people get roles that add to those they have", () => {
  const operator = operatorWith();
  const found = kindRoles(operator, operator.kinds[0]!).map(({ file, objects: [role] }) => [
    file,
    Object.keys(role?.metadata.labels ?? {}).at(-1),
  ]);
  expect(found).toEqual([
    ["shop_admin_role", "rbac.authorization.k8s.io/aggregate-to-admin"],
    ["shop_editor_role", "rbac.authorization.k8s.io/aggregate-to-edit"],
    ["shop_viewer_role", "rbac.authorization.k8s.io/aggregate-to-view"],
  ]);
});

test("people who may edit a kind that can be scaled may scale it, as they may a Deployment; viewers may read its scale", () => {
  const Scalable = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Stall",
    spec: z.object({ size: z.int() }),
    status: z.object({ size: z.int().optional() }),
    scale: { spec: ".spec.size", status: ".status.size" },
  });
  const verbsOn = (resource: string) =>
    kindRoles(operatorWith(), Scalable).map(({ objects: [role] }) => {
      const rules = role?.["rules"] as { resources: string[]; verbs: string[] }[];
      return rules.find(({ resources }) => resources.includes(resource))?.verbs.join();
    });
  expect(verbsOn("stalls/scale")).toEqual(["get,patch,update", "get,patch,update", "get"]);
  expect(verbsOn("stalls/status")).toEqual(["get", "get", "get"]);
});
