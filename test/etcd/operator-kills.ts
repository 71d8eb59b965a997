// The operator ended after each of its steps, one step more each time, until no step is left to end it after; and its process killed again
// and again while it works.
import { newest, oldest } from "./etcd-binaries.js";
import type { EtcdWorld } from "./etcd-world.js";
import { Enumeration, record } from "./matrix-record.js";
import { OperatorProcess } from "./operator-process.js";
import { Writer } from "./writer.js";

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Change {
  readonly what: string;
  readonly change: object;
  readonly replicas: number;
}

/** A cluster with a writer, for as long as the work takes. */
async function withCluster(
  world: EtcdWorld,
  cluster: string,
  spec: { readonly replicas: number; readonly version?: string | undefined },
  work: (writer: Writer) => Promise<void>,
): Promise<void> {
  await world.create(cluster, spec);
  await world.settled(cluster, spec.replicas);
  const writer = await new Writer(world, cluster).start();
  try {
    await work(writer);
  } finally {
    await writer.stop();
    await world.remove(cluster);
  }
}

/** Starts the operator again once it was ended, and waits until the cluster is settled. */
async function resumed(world: EtcdWorld, cluster: string, replicas: number): Promise<void> {
  let isOver = false;
  const whole = world.settled(cluster, replicas).finally(() => {
    isOver = true;
  });
  whole.catch(() => undefined);
  while (!isOver) {
    if (!world.hasOperator) {
      await sleep(1_000);
      await world.startOperator();
    }
    await sleep(50);
  }
  world.killAfterSteps(Number.POSITIVE_INFINITY);
  await whole;
}

/** Applies the changes in turn, and ends the operator after one step more each time. */
async function killAfterEach(
  world: EtcdWorld,
  group: string,
  cluster: string,
  size: number,
  changes: readonly Change[],
): Promise<void> {
  const cases = new Enumeration();
  await withCluster(world, cluster, { replicas: size }, async (writer) => {
    const finished = new Set<Change>();
    for (let count = 1; finished.size < changes.length; count++)
      for (const each of changes) {
        const { what, change, replicas } = each;
        const steps = world.steps.length;
        const work = async (): Promise<void> => {
          world.killAfterSteps(finished.has(each) ? Number.POSITIVE_INFINITY : count);
          await world.patch(cluster, change);
          await resumed(world, cluster, replicas);
        };
        if (finished.has(each)) {
          await work();
          continue;
        }
        const name = `${what}, killed after step ${count}`;
        await cases.attempt(name, () => record(world, { group, name, change: what }, writer, work));
        if (!world.hasOperator) await world.startOperator();
        if (world.steps.length - steps <= count) finished.add(each);
      }
  });
  cases.end();
}

export const killsInScaling = (world: EtcdWorld): Promise<void> =>
  killAfterEach(world, "kills: scaling out, then in", "kills", 1, [
    { what: "scaling 1 to 3", change: { replicas: 3 }, replicas: 3 },
    { what: "scaling 3 to 1", change: { replicas: 1 }, replicas: 1 },
  ]);

export const killsInRolling = (world: EtcdWorld): Promise<void> =>
  killAfterEach(world, "kills: rolling", "rolls", 3, [
    { what: "an option set", change: { etcdOptions: { "snapshot-count": "5000" } }, replicas: 3 },
    { what: "an option taken back", change: { etcdOptions: null }, replicas: 3 },
  ]);

/** Wipes a member, and waits until it is replaced. */
async function replaced(world: EtcdWorld, cluster: string, place: number): Promise<void> {
  const victim = (await world.get(cluster)).status?.members?.[place];
  await world.nodes.exec(victim?.name ?? "", ["rm", "-rf", "/var/lib/etcd/data/member"]);
  world.signal(victim?.name ?? "", "SIGKILL");
  await world.until(cluster, ({ status }) => status?.members?.every(({ id }) => id !== victim?.id) === true);
}

export async function killsInReplacement(world: EtcdWorld): Promise<void> {
  const cluster = "replaced";
  const cases = new Enumeration();
  await withCluster(world, cluster, { replicas: 3 }, async (writer) => {
    for (let count = 1; ; count++) {
      const before = world.steps.length;
      const name = `a wiped member replaced, killed after step ${count}`;
      const work = async (): Promise<void> => {
        world.killAfterSteps(count);
        const done = replaced(world, cluster, count % 3);
        done.catch(() => undefined);
        while (world.hasOperator && !(await Promise.race([done.then(() => true), sleep(100)])));
        await resumed(world, cluster, 3);
        await done;
        await world.settled(cluster, 3);
      };
      await cases.attempt(name, () => record(world, { group: "kills: replacement", name }, writer, work));
      if (!world.hasOperator) await world.startOperator();
      if (world.steps.length - before <= count) return;
    }
  });
  cases.end();
}

export async function killsInUpgrade(world: EtcdWorld): Promise<void> {
  const cases = new Enumeration();
  const what = `${oldest} to ${newest}`;
  for (let count = 1, isOver = false; !isOver; count++) {
    const cluster = `upgrade-${count}`;
    await withCluster(world, cluster, { replicas: 3, version: oldest }, async (writer) => {
      const before = world.steps.length;
      const name = `${what}, killed after step ${count}`;
      const work = async (): Promise<void> => {
        world.killAfterSteps(count);
        await world.patch(cluster, { version: newest });
        await resumed(world, cluster, 3);
        await world.until(cluster, ({ status }) => status?.currentVersion === newest);
        await world.settled(cluster, 3);
      };
      await cases.attempt(name, () =>
        record(world, { group: "kills: upgrade", name, change: what }, writer, work),
      );
      if (!world.hasOperator) await world.startOperator();
      isOver = world.steps.length - before <= count;
    });
  }
  cases.end();
}

/** The operator as a process of its own, killed with SIGKILL again and again during each change. */
export async function killsOfProcess(world: EtcdWorld): Promise<void> {
  const cluster = "processed";
  const cases = new Enumeration();
  const operator = await OperatorProcess.of(world);
  const version = oldest ?? newest;
  await withCluster(world, cluster, { replicas: 1, version }, async (writer) => {
    world.killOperator();
    const during = async (what: string, isPlanned: boolean, work: () => Promise<unknown>): Promise<void> => {
      const name = `${what}, its process killed with SIGKILL again and again`;
      const change = isPlanned ? what : undefined;
      await cases.attempt(name, () =>
        record(world, { group: "kills: process", name, change }, writer, () => operator.killUntil(work())),
      );
    };
    const scaled = async (replicas: number): Promise<void> => {
      await world.patch(cluster, { replicas });
      await world.settled(cluster, replicas);
    };
    await during("scaling 1 to 3", true, () => scaled(3));
    await during("a wiped member replaced", false, async () => {
      await replaced(world, cluster, 1);
      await world.settled(cluster, 3);
    });
    if (version !== newest)
      await during(`${version} to ${newest}`, true, async () => {
        await world.patch(cluster, { version: newest });
        await world.until(cluster, ({ status }) => status?.currentVersion === newest);
        await world.settled(cluster, 3);
      });
    await during("scaling 3 to 5", true, () => scaled(5));
    await during("scaling 5 to 1", true, () => scaled(1));
    await world.startOperator();
  });
  cases.end();
  if (operator.kills < 10) throw new Error(`the process was killed only ${operator.kills} times`);
}
