// The declarative layer: children in order, pruned, and what they say of their object.
import { ConfigMap, Deployment, Secret, StatefulSet } from "@kubewright/api";
import { type AnyResource, child, defineComposition } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, Harness, namespace } from "./harness.js";

const workload = (name: string, replicas: number) => {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "x" }] } };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
};

const boxes = defineComposition(Box, {
  owns: [Secret, StatefulSet, Deployment, ConfigMap],
  children: (box) => ({
    web: child(Deployment, workload("web", box.spec.copies), { after: ["database"] }),
    database: child(
      StatefulSet,
      { ...workload("db", 1), spec: { ...workload("db", 1).spec, serviceName: "db" } },
      { after: ["password"] },
    ),
    password: child(Secret, { metadata: { name: "password" }, data: { text: "eA==" } }),
    note: box.spec.text === "" ? undefined : child(ConfigMap, { metadata: { name: "note" } }),
  }),
  status: (box, { web }) => ({ ready: web?.status?.readyReplicas ?? 0, note: box.spec.text }),
});

const isThere = async (harness: Harness, kind: AnyResource, name: string) =>
  (await harness.client.list(kind, { namespace, fieldSelector: `metadata.name=${name}` })).items.length === 1;

const conditionsOf = async (harness: Harness) =>
  Object.fromEntries(
    ((await harness.box()).status?.conditions ?? []).map(({ type, status, message }) => [
      type,
      `${status} ${message}`.trim(),
    ]),
  );

test("children wait for each other, are pruned, and roll up to a status", async () => {
  await using harness = await Harness.start();
  const { client } = harness;
  await harness.manage([boxes]);
  await client.create(Box, boxNamed("a", { copies: 2 }));
  await harness.settle();
  expect(await isThere(harness, StatefulSet, "db")).toBe(true);
  expect(await isThere(harness, Deployment, "web")).toBe(false);
  const unready = "database: 0 of 1 readyReplicas; web: waits for database";
  expect(await conditionsOf(harness)).toEqual({
    Available: `False ${unready}`,
    Progressing: `True ${unready}`,
    Degraded: "False",
  });

  const say = async (kind: AnyResource, name: string, status: object) => {
    await client.patch(kind, name, { merge: { status } }, { namespace, subresource: "status" });
    await harness.settle();
  };
  await say(StatefulSet, "db", { replicas: 1, readyReplicas: 1, observedGeneration: 1 });
  expect(await isThere(harness, Deployment, "web")).toBe(true);
  await say(Deployment, "web", {
    replicas: 2,
    updatedReplicas: 2,
    availableReplicas: 2,
    readyReplicas: 2,
    observedGeneration: 1,
  });
  expect(await conditionsOf(harness)).toEqual({ Available: "True", Progressing: "False", Degraded: "False" });
  expect((await harness.box()).status).toMatchObject({ ready: 2, note: "hello", observedGeneration: 1 });

  // A dependency in trouble holds back changes, but nothing is deleted for it.
  await say(StatefulSet, "db", { readyReplicas: 0 });
  await client.patch(Box, "a", { merge: { spec: { copies: 5, text: "" } } }, { namespace });
  await harness.settle();
  expect((await client.get(Deployment, "web", { namespace })).spec?.replicas).toBe(2);
  expect(await isThere(harness, ConfigMap, "note")).toBe(false);
  await say(StatefulSet, "db", { readyReplicas: 1 });
  expect((await client.get(Deployment, "web", { namespace })).spec?.replicas).toBe(5);
  await say(Deployment, "web", {
    observedGeneration: 2,
    conditions: [{ type: "Progressing", status: "False", reason: "Slow", message: "deadline exceeded" }],
  });
  expect(await conditionsOf(harness)).toEqual({
    Available: "False web: deadline exceeded",
    Progressing: "False",
    Degraded: "True web: deadline exceeded",
  });
  expect(harness.errors).toEqual([]);
});

test("a composition that cannot be made is degraded", async () => {
  await using harness = await Harness.start();
  await harness.manage([
    defineComposition(Box, {
      owns: [ConfigMap],
      children: () => ({ a: child(ConfigMap, { metadata: { name: "a" } }, { after: ["b"] }) }),
    }),
  ]);
  await harness.client.create(Box, boxNamed("a"));
  await harness.clock.advance(60_000);
  expect(await conditionsOf(harness)).toEqual({
    Degraded: 'True child "a" waits for "b", which is no child',
  });
  expect(harness.errors).toHaveLength(2);
});

test("children are of owned kinds, and known by their names", () => {
  defineComposition(Box, {
    owns: [ConfigMap],
    // @ts-expect-error a Secret is not an owned kind
    children: () => ({ a: child(Secret, { metadata: { name: "a" } }) }),
  });
  const definition = defineComposition(Box, {
    name: "named",
    owns: [ConfigMap],
    children: () => ({ a: child(ConfigMap, { metadata: { name: "a" } }) }),
    // @ts-expect-error there is no child b
    status: (_, { b }) => ({ note: String(b) }),
  });
  expect(definition.name).toBe("named");
});
