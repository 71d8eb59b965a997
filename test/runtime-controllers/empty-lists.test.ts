// Lists that are declared empty. kube-apiserver drops them from built-in kinds, and managed fields of keyed lists never name
// them: a declared empty list is the same as none.
import { Deployment, NetworkPolicy } from "@kubewright/api";
import { defineController, interval } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, Harness, namespace } from "./harness.js";

/** A Deployment whose keyed lists (ports, env, volumes) and whole lists (command, tolerations) may be empty. */
const deploymentWith = (lists: { readonly filled: boolean }) => ({
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [
          {
            name: "app",
            image: "nginx",
            ports: lists.filled ? [{ containerPort: 80, protocol: "TCP" as const }] : [],
            env: lists.filled ? [{ name: "A", value: "1" }] : [],
            command: lists.filled ? ["run"] : [],
            securityContext: { capabilities: { add: [], drop: lists.filled ? ["ALL"] : [] } },
          },
        ],
        volumes: lists.filled ? [{ name: "tmp", emptyDir: {} }] : [],
        tolerations: [],
        imagePullSecrets: [],
      },
    },
  },
});

/** Runs a controller that declares the Deployment every ten seconds; `filled` decides its lists. */
async function declared(filled: () => boolean) {
  const harness = await Harness.start();
  await harness.manage([
    defineController(Box, {
      owns: [Deployment],
      sources: [interval(10_000)],
      reconcile: async (_box, ctx) =>
        void (await ctx.apply(Deployment, deploymentWith({ filled: filled() }))),
    }),
  ]);
  await harness.client.create(Box, boxNamed("a"));
  await harness.clock.advance(5_000);
  const container = async () => {
    const { spec } = await harness.client.get(Deployment, "web", { namespace });
    return spec?.template.spec?.containers[0];
  };
  return { harness, container };
}

test("empty lists: a child with declared empty lists is applied once, however often the child changes", async () => {
  const { harness } = await declared(() => false);
  await using _harness = harness;
  const settled = harness.writes.length;
  for (let change = 0; change < 8; change++) {
    const merge = { metadata: { annotations: { change: String(change) } } };
    await harness.client.patch(Deployment, "web", { merge }, { namespace });
    await harness.clock.advance(60_000);
  }
  expect(harness.writes.slice(settled)).toEqual([]);
  expect((await harness.box()).status?.conditions).toBeUndefined();
});

test("empty lists: a list that becomes empty loses the entries declared before, and a filled one comes back", async () => {
  let filled = true;
  const { harness, container } = await declared(() => filled);
  await using _harness = harness;
  expect(await container()).toMatchObject({
    ports: [{ containerPort: 80 }],
    env: [{ name: "A" }],
    command: ["run"],
  });
  filled = false;
  await harness.clock.advance(20_000);
  const emptied = await container();
  expect([emptied?.ports ?? [], emptied?.env ?? [], emptied?.command ?? []]).toEqual([[], [], []]);
  filled = true;
  await harness.clock.advance(20_000);
  expect(await container()).toMatchObject({
    ports: [{ containerPort: 80 }],
    env: [{ name: "A" }],
    command: ["run"],
  });
});

test("empty lists: entries put into a list that is replaced as a whole are taken out again", async () => {
  const { harness, container } = await declared(() => false);
  await using _harness = harness;
  const theirs = { spec: { template: { spec: { containers: [{ name: "app", command: ["theirs"] }] } } } };
  await harness.client.patch(Deployment, "web", { strategic: theirs }, { namespace, fieldManager: "other" });
  await harness.clock.advance(20_000);
  expect((await container())?.command ?? []).toEqual([]);
});

test("empty lists: entries that another manager adds to a keyed list are theirs, and cause no writes", async () => {
  const { harness, container } = await declared(() => false);
  await using _harness = harness;
  const theirs = {
    spec: { template: { spec: { containers: [{ name: "app", env: [{ name: "THEIRS", value: "1" }] }] } } },
  };
  await harness.client.patch(Deployment, "web", { strategic: theirs }, { namespace, fieldManager: "other" });
  const settled = harness.writes.length;
  await harness.clock.advance(600_000);
  expect((await container())?.env).toEqual([{ name: "THEIRS", value: "1" }]);
  expect(harness.writes.slice(settled)).toEqual([]);
});

test("empty objects: emptyDir and an empty selector are values, declared and corrected", async () => {
  await using harness = await Harness.start();
  await harness.manage([
    defineController(Box, {
      owns: [NetworkPolicy],
      reconcile: async (_box, ctx) =>
        void (await ctx.apply(NetworkPolicy, {
          metadata: { name: "np" },
          spec: { podSelector: {}, ingress: [{ from: [{ namespaceSelector: {} }] }] },
        })),
    }),
  ]);
  await harness.client.create(Box, boxNamed("a"));
  await harness.settle();
  const specOf = async () => (await harness.client.get(NetworkPolicy, "np", { namespace })).spec;
  expect(await specOf()).toMatchObject({ podSelector: {}, ingress: [{ from: [{ namespaceSelector: {} }] }] });
  const narrow = { spec: { podSelector: { matchLabels: { app: "x" } }, ingress: [] } };
  await harness.client.patch(NetworkPolicy, "np", { merge: narrow }, { namespace, fieldManager: "other" });
  await harness.settle();
  expect((await specOf())?.ingress).toMatchObject([{ from: [{ namespaceSelector: {} }] }]);
});
