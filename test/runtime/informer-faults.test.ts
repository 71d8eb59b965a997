// What an informer survives. After each fault its cache, and what its listeners were told, is what the server has; and when
// it is closed nothing is left: no timer, no watch, no work in flight.
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CustomResourceDefinition,
  isForbidden,
  Secret,
} from "@kubewright/api";
import { MemoryStorage } from "@kubewright/apiserver";
import { defineResource, z } from "@kubewright/schema";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failure, follow, type Line, World } from "./unreliable-server.js";

const namespace = "default";
const configMap = (name: string, x = "0") => ({ metadata: { name, namespace }, data: { x } });

let world: World;
let line: Line;

beforeEach(async () => {
  world = new World();
  line = world.line();
  for (const name of ["a", "b", "c", "d"]) await world.admin.create(ConfigMap, configMap(name));
});

afterEach(() => world.end());

/** What others do while we cannot see it: a change, a deletion, an addition, and one object in the place of another. */
async function changeEverything(): Promise<void> {
  const { admin } = world;
  await admin.patch(
    ConfigMap,
    "a",
    { merge: { data: { x: String(world.storage.revision) } } },
    { namespace },
  );
  await admin.delete(ConfigMap, "b", { namespace }).catch(() => undefined);
  await admin.delete(ConfigMap, "c", { namespace });
  await admin.create(ConfigMap, configMap("c"));
  await admin.create(ConfigMap, { metadata: { generateName: "new-", namespace } });
}

test("a server that restarts with its state", async () => {
  const { informer, inStep } = await follow(world, line, ConfigMap);
  await inStep();
  line.cut();
  await changeEverything();
  world.restart();
  await world.clock.advance(5_000);
  expect(informer.problem).toMatchObject({ reason: "unreachable" });
  line.mend(world.server.transport());
  await world.clock.advance(10_000);
  await inStep();
});

test("a server that restarts without its state", async () => {
  const { informer, inStep, told } = await follow(world, line, ConfigMap);
  line.cut();
  world.restart(new MemoryStorage({ clock: world.clock }));
  await world.admin.create(ConfigMap, configMap("other"));
  line.mend(world.server.transport());
  told.length = 0;
  // Its versions begin again, so that our position lies in its future; its next bookmark shows it.
  await world.clock.advance(130_000);
  await inStep();
  expect(informer.store.get("default/other")).toBeDefined();
  expect(told).toContain("deleted default/a");
});

const outages: [string, () => ReturnType<typeof failure>][] = [
  ["500s", () => failure(500, "InternalError")],
  ["503s", () => failure(503, "ServiceUnavailable")],
  ["429s", () => failure(429, "TooManyRequests", { retryAfterSeconds: 1 })],
];
test.each(outages)("30 seconds of %s", async (_what, answer) => {
  const { inStep, informer } = await follow(world, line, ConfigMap);
  line.fault = answer;
  line.disconnect();
  await changeEverything();
  const before = line.requests;
  await world.clock.advance(30_000);
  expect(informer.problem).toBeDefined();
  expect(line.requests - before, "requests in 30 s").toBeLessThan(15);
  line.fault = undefined;
  await world.clock.advance(10_000);
  await inStep();
  await world.clock.advance(5_000);
  expect(informer.problem).toBeUndefined();
});

test("a storm of 429s among requests that pass", async () => {
  const { inStep } = await follow(world, line, ConfigMap);
  let count = 0;
  line.fault = () => (count++ % 3 ? failure(429, "TooManyRequests") : undefined);
  for (let round = 0; round < 10; round++) {
    line.disconnect();
    await changeEverything();
    await world.clock.advance(3_000);
  }
  await world.clock.advance(20_000);
  await inStep();
});

test("a watch that falls silent", async () => {
  const { inStep, told } = await follow(world, line, ConfigMap);
  line.isMute = true;
  told.length = 0;
  await changeEverything();
  await world.clock.advance(100_000);
  expect(told).toEqual([]);
  line.isMute = false;
  await world.clock.advance(60_000);
  await inStep();
});

describe("history that is gone", () => {
  test.each([0, 1, 2, 3, 4, 5])("when %i changes were seen", async (seen) => {
    const { inStep } = await follow(world, line, ConfigMap);
    for (let change = 0; change < seen; change++) {
      await changeEverything();
      await world.clock.settle();
    }
    line.disconnect();
    await changeEverything();
    world.storage.compact(world.storage.revision);
    await changeEverything();
    await world.clock.advance(5_000);
    await inStep();
  });

  test("again and again, while everything changes", async () => {
    const { inStep } = await follow(world, line, ConfigMap);
    for (let round = 0; round < 20; round++) {
      await changeEverything();
      if (round % 2) line.disconnect();
      world.storage.compact(world.storage.revision);
      await world.clock.advance(round * 50);
    }
    await world.clock.advance(10_000);
    await inStep();
  });

  test("in the middle of a list in pages", async () => {
    line.fault = ({ query }) => {
      if (query?.get("sendInitialEvents")) return failure(422, "Invalid");
      if (query?.get("continue")) world.storage.compact(world.storage.revision);
      return undefined;
    };
    await changeEverything();
    const { inStep } = await follow(world, line, ConfigMap);
    await world.clock.advance(1_000);
    await inStep();
  });
});

const Widget = defineResource({
  group: "test.example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({ size: z.int() }),
});
const widget = (name: string) => ({ metadata: { name, namespace }, spec: { size: 1 } });

test("a definition that comes late, goes, and comes back", async () => {
  const { informer, inStep, told } = await follow(world, line, Widget);
  const other = await follow(world, world.line(), ConfigMap);
  expect(informer.problem).toMatchObject({ reason: "not-found" });
  await world.define(Widget);
  await world.admin.create(Widget, widget("one"));
  await world.clock.advance(10_000);
  await inStep();
  await world.admin.delete(CustomResourceDefinition, Widget.crd().metadata?.name ?? "");
  await world.clock.advance(30_000);
  expect(informer.problem).toMatchObject({ reason: "not-found" });
  await world.define(Widget);
  await world.admin.create(Widget, widget("one"));
  await world.admin.create(Widget, widget("two"));
  await world.clock.advance(20_000);
  await inStep();
  expect(told).toEqual([
    "added default/one",
    "deleted default/one",
    "added default/one",
    "added default/two",
  ]);
  await other.inStep();
  expect(other.errors).toEqual([]);
});

test("permissions that are taken away and given back", async () => {
  const user = { name: "reader", groups: ["system:authenticated"] };
  const verbs = ["list", "watch"];
  const role = {
    metadata: { name: "reader" },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }],
  };
  const binding = {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
  };
  await world.admin.create(ClusterRole, role);
  await world.admin.create(ClusterRoleBinding, binding);
  const readerLine = world.line(user);
  const { informer, inStep, errors } = await follow(world, readerLine, ConfigMap);
  const secrets = await follow(world, world.line(user), Secret);
  const other = await follow(world, world.line(), ConfigMap);
  await inStep();
  expect(secrets.informer.problem).toMatchObject({ reason: "forbidden" });

  await world.admin.delete(ClusterRoleBinding, "reader");
  readerLine.disconnect();
  await changeEverything();
  await world.clock.advance(60_000);
  expect(informer.problem?.reason).toBe("forbidden");
  expect(informer.problem?.message).toContain('cannot watch resource "configmaps"');
  expect(errors.filter(isForbidden).length).toBeLessThan(20);

  await world.admin.create(ClusterRoleBinding, binding);
  await world.clock.advance(15_000);
  await inStep();
  expect(informer.problem).toBeUndefined();
  expect(secrets.informer.hasSynced).toBe(false);
  await other.inStep();
});

test("objects that fail to decode", async () => {
  const { informer, errors } = await follow(world, line, ConfigMap, {
    transform: (object) => {
      if (object.data?.["x"]?.startsWith("bad")) throw new SyntaxError("unexpected bad");
      return object;
    },
  });
  const cached = () =>
    Object.fromEntries([...informer.store.entries()].map(([key, { data }]) => [key, data?.["x"]]));
  const patch = (name: string, x: string) =>
    world.admin.patch(ConfigMap, name, { merge: { data: { x } } }, { namespace });
  await patch("a", "bad");
  await patch("b", "1");
  await world.admin.create(ConfigMap, configMap("worse", "bad"));
  await world.clock.settle();
  expect(cached()).toEqual({ "default/a": "0", "default/b": "1", "default/c": "0", "default/d": "0" });
  expect(informer.setAside.objects.map(({ key }) => key)).toEqual(["default/a", "default/worse"]);
  expect(errors).toHaveLength(2);
  world.storage.compact(world.storage.revision);
  line.disconnect();
  await patch("a", "2");
  await world.admin.delete(ConfigMap, "worse", { namespace });
  await world.clock.advance(5_000);
  expect(cached()).toMatchObject({ "default/a": "2" });
  expect(informer.setAside.objects).toEqual([]);
});

test("a wall clock that jumps", async () => {
  const { inStep } = await follow(world, line, ConfigMap);
  for (const jump of [-3_600_000, 86_400_000, -86_400_000 * 365]) {
    world.clock.jump(jump);
    await changeEverything();
    await world.clock.advance(200_000);
    await inStep();
  }
});

test("hours of all of it at once, the same every time", async () => {
  const run = async (): Promise<readonly string[]> => {
    await world.end();
    world = new World();
    line = world.line();
    for (const name of ["a", "b", "c", "d"]) await world.admin.create(ConfigMap, configMap(name));
    const { inStep, told } = await follow(world, line, ConfigMap);
    const faults: (() => void)[] = [
      () => line.disconnect(),
      () => line.cut(),
      () => world.storage.compact(world.storage.revision),
      () => {
        line.isMute = true;
      },
      () => {
        line.fault = () => failure(500, "InternalError");
      },
      () => world.clock.jump(-600_000),
    ];
    for (let minute = 0; minute < 90; minute++) {
      faults[minute % faults.length]?.();
      await changeEverything();
      await world.clock.advance(45_000);
      line.mend();
      line.isMute = false;
      line.fault = undefined;
      await world.clock.advance(15_000);
    }
    await world.clock.advance(200_000);
    await inStep();
    return told;
  };
  expect(await run()).toEqual(await run());
});
