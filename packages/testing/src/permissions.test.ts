import { ClusterRole, ConfigMap, Lease, type PolicyRule, Role } from "@kubewright/api";
import { defineController, defineManager } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Greeting, operator } from "./fixtures/greeting.js";
import { MissingPermissionError, testCluster } from "./index.js";

const hello = { name: "hello", spec: { text: "hi" } };

const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };

/** Gives others a right that it may only give when it has it itself. */
const granting = (rbac: readonly PolicyRule[]) =>
  defineController(Greeting, {
    owns: [Role],
    rbac,
    reconcile: async (greeting, ctx) => {
      await ctx.apply(Role, { metadata: { name: greeting.metadata.name ?? "" }, rules: [secrets] });
    },
  });

const missing =
  'manager "test" may not grant what it is not allowed itself; add to rbac of its controller: ' +
  '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';

test("a manager runs as a service account with the roles that follow from its declarations", async () => {
  await using cluster = await testCluster(operator);
  await cluster.create(Greeting, hello);
  const child = await cluster.eventually(ConfigMap, "hello");
  expect(child.metadata?.managedFields?.map(({ manager }) => manager)).toEqual(["test"]);
  const role = await cluster.client.get(ClusterRole, "test-manager-role");
  expect(role.rules).toContainEqual({
    apiGroups: [""],
    resources: ["configmaps"],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  });
  expect(cluster.errors).toEqual([]);
});

test("a request beyond the derived permissions is refused, reported among the errors, and fails the suite at its end", async () => {
  const cluster = await testCluster({ resources: [Greeting], controllers: [granting([])] });
  await cluster.create(Greeting, hello);
  await cluster.settle();
  expect(cluster.errors).toContainEqual({ where: "permissions", error: new MissingPermissionError(missing) });
  const waiting = cluster.eventually(ConfigMap, "hello", undefined, { timeout: "1s" });
  await expect(waiting).rejects.toThrow(missing);
  await expect(cluster.close()).rejects.toThrow(new MissingPermissionError(missing));
});

test.each([
  ["that declares it", { controllers: [granting([secrets])] }],
  ["that may do everything", { controllers: [granting([])], permissions: "all" }],
] as const)("a manager %s is not refused", async (_, options) => {
  await using cluster = await testCluster({ resources: [Greeting], ...options });
  await cluster.create(Greeting, hello);
  await cluster.settle();
  expect((await cluster.get(Role, "hello")).rules).toEqual([secrets]);
  expect(cluster.errors).toEqual([]);
});

test("a manager of some namespaces has Roles there, and its lease where it runs", async () => {
  const manager = defineManager({
    name: "local",
    namespaces: ["a", "b"],
    leaderElection: true,
    controllers: [granting([secrets])],
  });
  await using cluster = await testCluster({ resources: [Greeting], manager, namespace: "home" });
  const { items } = await cluster.client.list(Role, { labelSelector: "!kubernetes.io/bootstrapping" });
  expect(items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`)).toEqual([
    "a/local-manager-role",
    "b/local-manager-role",
    "home/local-leader-election-role",
  ]);
  await cluster.eventually(Lease, "local");
  expect(cluster.errors).toEqual([]);
});
