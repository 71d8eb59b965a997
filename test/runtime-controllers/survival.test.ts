// What a whole controller survives. Whatever happens to the server and the line to it: every object is reconciled in its
// last state, no object by two at once, nothing is kept of what is over, and nothing is left open at the end.
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CustomResourceDefinition,
  type ObjectOf,
} from "@kubewright/api";
import { Client } from "@kubewright/client";
import {
  channel,
  defineController,
  defineManager,
  type RunningManager,
  startManager,
} from "@kubewright/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { memoryInUse } from "../robustness/memory.js";
import { failure, type Line, World } from "../runtime/unreliable-server.js";
import { Box, boxNamed, copiesOf, namespace } from "./harness.js";

const user = { name: "operator", groups: ["system:authenticated"] };
const role = {
  metadata: { name: "operator" },
  rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
};
const binding = {
  metadata: { name: "operator" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "operator" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "operator" }],
};

let world: World;
let line: Line;
let manager: RunningManager;
let errors: string[];
/** The generation each object was last reconciled at, and those in flight. */
let reconciled: Map<string, number>;
let inHand: Set<string>;
/** Those that were reconciled by two replicas at once. */
let doubled: string[];
let reconciles: number;
let pokes = channel("pokes");
/** Handles of the process before anything was begun, by what they are. */
let handlesBefore: ReadonlyMap<string, number>;

const operator = () =>
  defineController(Box, {
    owns: [ConfigMap],
    sources: [pokes],
    concurrency: 4,
    async reconcile(box, ctx) {
      const name = box.metadata.name ?? "";
      reconciles++;
      if (inHand.has(name)) doubled.push(name);
      inHand.add(name);
      try {
        for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
        await ctx.prune();
        ctx.status({ ready: ctx.children(ConfigMap).length });
        reconciled.set(name, box.metadata.generation ?? 0);
      } finally {
        inHand.delete(name);
      }
    },
  });

beforeEach(async () => {
  handlesBefore = handles();
  world = new World();
  pokes = channel("pokes");
  reconciles = 0;
  line = world.line(user);
  errors = [];
  reconciled = new Map();
  inHand = new Set();
  doubled = [];
  await world.admin.create(ClusterRole, role);
  await world.admin.create(ClusterRoleBinding, binding);
  await world.define(Box);
  for (const name of ["a", "b", "c"]) await world.admin.create(Box, boxNamed(name, { copies: 2 }));
  const definition = defineManager({ name: "survivor", controllers: [operator()], leaderElection: true });
  const starting = startManager(definition, {
    client: new Client({ transport: line.transport, clock: world.clock }),
    clock: world.clock,
    random: () => 0.5,
    namespace,
    preflight: "off",
    onError: (where, error) => errors.push(`${where}: ${error instanceof Error ? error.message : error}`),
  });
  await world.clock.settle();
  manager = await starting;
  await world.clock.advance(1_000);
  await inStep();
});

afterEach(async () => {
  const closing = manager.close();
  await world.clock.advance(60_000);
  await closing;
  await world.end();
  // Waiting by a timer would itself be one more handle.
  const end = performance.now() + 5_000;
  while (leftOver().length > 0 && performance.now() < end) await nextRound();
  expect(leftOver()).toEqual([]);
});

const nextRound = () => new Promise((resolve) => setImmediate(resolve));

/** What is open now and was not before. */
const leftOver = (): string[] =>
  [...handles()].flatMap(([name, count]) => {
    const before = handlesBefore.get(name) ?? 0;
    return count > before ? [`${name}: ${count}, not ${before}`] : [];
  });

function handles(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** What is in use when only the first three are left, and the server has forgotten what was. */
async function memoryAtRest(): Promise<number> {
  for (const { metadata } of (await world.admin.list(Box, { namespace })).items)
    if (metadata.name?.startsWith("new-")) await world.admin.delete(Box, metadata.name, { namespace });
  for (const { metadata } of (await world.admin.list(ConfigMap, { namespace })).items)
    if (metadata?.name?.startsWith("new-")) await world.admin.delete(ConfigMap, metadata.name, { namespace });
  await world.clock.advance(10_000);
  world.storage.compact(world.storage.revision);
  return memoryInUse();
}

/** Every box was reconciled as it is now, and has the children it wants. */
async function inStep(): Promise<void> {
  const { items } = await world.admin.list(Box, { namespace });
  const children = (await world.admin.list(ConfigMap, { namespace })).items;
  const named = (box: ObjectOf<typeof Box>) =>
    children
      .filter(({ metadata }) => metadata?.labels?.["box"] === box.metadata.name)
      .map(({ metadata, data }) => `${metadata?.name} ${data?.["text"]}`);
  for (const box of items) {
    const { name = "", generation } = box.metadata;
    expect(reconciled.get(name), `${name} was reconciled as it is`).toBe(generation);
    expect(named(box)).toEqual(copiesOf(box).map(({ metadata, data }) => `${metadata.name} ${data.text}`));
    expect(box.status?.ready).toBe(box.spec.copies);
  }
  expect(inHand.size).toBe(0);
  expect(doubled).toEqual([]);
}

let round = 0;

/** What others do: a change, a deletion, an addition, and a child that somebody breaks. */
async function changeEverything(): Promise<void> {
  round++;
  const { admin } = world;
  await admin.patch(Box, "a", { merge: { spec: { text: `text ${round}` } } }, { namespace });
  await admin.patch(Box, "b", { merge: { spec: { copies: 1 + (round % 3) } } }, { namespace });
  await admin.create(Box, boxNamed(`new-${round}`));
  await admin.patch(ConfigMap, "c-0", { merge: { data: { text: "broken" } } }, { namespace });
}

const isWrite = (method: string) => method !== "GET";

const faults: [string, () => Promise<void>][] = [
  [
    "a server that restarts",
    async () => {
      line.cut();
      await changeEverything();
      world.restart();
      await world.clock.advance(20_000);
      line.mend(world.server.transport(user));
    },
  ],
  [
    "30 seconds of 500s",
    async () => {
      line.fault = () => failure(500, "InternalError");
      line.disconnect();
      await changeEverything();
      await world.clock.advance(30_000);
      line.fault = undefined;
    },
  ],
  [
    "writes that fail while reads do not",
    async () => {
      line.fault = ({ method }) => (isWrite(method) ? failure(500, "InternalError") : undefined);
      await changeEverything();
      await world.clock.advance(30_000);
      line.fault = undefined;
    },
  ],
  [
    "a storm of 429s",
    async () => {
      let count = 0;
      line.fault = () =>
        count++ % 4 ? failure(429, "TooManyRequests", { retryAfterSeconds: 1 }) : undefined;
      for (let again = 0; again < 5; again++) {
        line.disconnect();
        await changeEverything();
        await world.clock.advance(4_000);
      }
      line.fault = undefined;
    },
  ],
  [
    "watches that fall silent",
    async () => {
      line.isMute = true;
      await changeEverything();
      await world.clock.advance(120_000);
      line.isMute = false;
      await world.clock.advance(60_000);
    },
  ],
  [
    "history that is gone, again and again",
    async () => {
      for (let again = 0; again < 5; again++) {
        await changeEverything();
        world.storage.compact(world.storage.revision);
        line.disconnect();
        await changeEverything();
        await world.clock.advance(2_000);
      }
    },
  ],
  [
    "permissions that are taken away and given back",
    async () => {
      await world.admin.delete(ClusterRoleBinding, "operator");
      line.disconnect();
      await changeEverything();
      await world.clock.advance(60_000);
      expect(errors.some((text) => text.includes("cannot"))).toBe(true);
      await world.admin.create(ClusterRoleBinding, binding);
    },
  ],
  [
    "a definition that goes and comes back, with other objects of the same names",
    async () => {
      await world.admin.delete(CustomResourceDefinition, Box.crd().metadata?.name ?? "");
      await world.clock.advance(30_000);
      for (const { metadata } of (await world.admin.list(ConfigMap, { namespace })).items)
        await world.admin.delete(ConfigMap, metadata?.name ?? "", { namespace });
      await world.define(Box);
      reconciled.clear();
      for (const name of ["a", "b", "c"])
        await world.admin.create(Box, boxNamed(name, { copies: 3, text: "again" }));
    },
  ],
  [
    "leadership that is lost in the middle of the work",
    async () => {
      line.fault = ({ path }) => (path.includes("/leases") ? failure(500, "InternalError") : undefined);
      for (let again = 0; again < 4; again++) {
        await changeEverything();
        await world.clock.advance(5_000);
      }
      expect(manager.isLeader).toBe(false);
      line.fault = undefined;
    },
  ],
  [
    "100,000 events in a second for one key",
    async () => {
      const before = reconciles;
      await changeEverything();
      for (let tick = 0; tick < 100; tick++) {
        for (let event = 0; event < 1_000; event++) pokes.send(`${namespace}/a`);
        await world.clock.advance(10);
      }
      expect(reconciles - before).toBeLessThan(300);
    },
  ],
  [
    "objects that cannot be read",
    async () => {
      line.garble = ({ type, object }) => {
        const { metadata: _, ...rest } = object as { metadata: unknown };
        return type === "BOOKMARK" ? { type, object } : { type, object: rest };
      };
      await changeEverything();
      await world.clock.advance(5_000);
      expect(errors.some((text) => text.includes("metadata"))).toBe(true);
      line.garble = undefined;
      // What was set aside is found again by a list.
      world.storage.compact(world.storage.revision);
      line.disconnect();
    },
  ],
  [
    "a wall clock that jumps",
    async () => {
      for (const jump of [-3_600_000, 86_400_000, -86_400_000 * 365]) {
        world.clock.jump(jump);
        await changeEverything();
        await world.clock.advance(10_000);
      }
    },
  ],
];

test.each(faults)("%s", async (_what, strike) => {
  await strike();
  // The longest a reflector waits is ten seconds; a key that failed on and on waits longer.
  await world.clock.advance(120_000);
  await inStep();
  // It works as before: what changes now is seen at once, and nothing of the past comes up again.
  await changeEverything();
  errors.length = 0;
  await world.clock.advance(2_000);
  await inStep();
  expect(errors).toEqual([]);
  // The second time leaves nothing that the first did not.
  const level = await memoryAtRest();
  await strike();
  await world.clock.advance(120_000);
  errors.length = 0;
  const later = await memoryAtRest();
  expect(later - level, "bytes left behind").toBeLessThan(1_000_000);
});
