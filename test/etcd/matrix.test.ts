// The fault matrix on real etcd: `npm run test:etcd`. It takes about half an hour; `short.test.ts` is the part of it for every run.
import { afterAll, beforeAll, describe, test } from "vitest";
import { type FaultCase, memberFaults, quorumFaults, scaling } from "./cases.js";
import { newest, oldest } from "./etcd-binaries.js";
import { EtcdWorld, missing } from "./etcd-world.js";
import { autoscaled, backupToBucket, backupToClaim, recovery, tlsRotation } from "./life-cases.js";
import { MatrixReport } from "./matrix-report.js";
import { Writer } from "./writer.js";

const reason = process.env["KUBEWRIGHT_ETCD_MATRIX"] ? missing : "runs with npm run test:etcd";
const report = new MatrixReport("etcd-matrix.md");
const only = process.env["KUBEWRIGHT_ETCD_CASES"];
const isAsked = (group: string): boolean => only === undefined || only.split(",").includes(group);

/** Runs a case with a writer, and records what became of it. */
async function record(
  group: string,
  { name, isPlanned = false }: Pick<FaultCase, "name" | "isPlanned">,
  writer: Writer,
  work: () => Promise<void>,
): Promise<void> {
  const begin = Date.now();
  writer.takeGap();
  writer.takeFailures();
  let result = "passed";
  try {
    await work();
    await writer.flowing();
    await writer.check();
    if (isPlanned && writer.failures > 0)
      throw new Error(`${writer.failures} writes were given up after 2 s`);
  } catch (error) {
    result = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    const gap = writer.takeGap();
    const failures = writer.takeFailures();
    report.add({ group, name, result, duration: Date.now() - begin, gap, failures, isPlanned });
  }
}

describe.skipIf(reason !== undefined)(reason ?? "the fault matrix on real etcd", { timeout: 300_000 }, () => {
  let world: EtcdWorld;
  beforeAll(async () => {
    world = await EtcdWorld.start();
  }, 60_000);
  afterAll(() => world?.close(), 60_000);

  describe.runIf(isAsked("faults"))("faults of members", () => {
    const cluster = "faults";
    let writer: Writer;
    beforeAll(async () => {
      await world.create(cluster, { replicas: 3 });
      await world.settled(cluster, 3);
      writer = await new Writer(world, cluster).start();
    }, 120_000);
    afterAll(async () => {
      await writer.stop();
      await world.remove(cluster);
    }, 60_000);
    test.each([...memberFaults, ...quorumFaults])("$name", (each) =>
      record("faults", each, writer, () => each.run({ world, cluster })),
    );
  });

  describe.runIf(isAsked("scaling"))("sizes under load", () => {
    const cluster = "sizes";
    let writer: Writer;
    beforeAll(async () => {
      await world.create(cluster, { replicas: 1 });
      await world.settled(cluster, 1);
      writer = await new Writer(world, cluster).start();
    }, 120_000);
    afterAll(async () => {
      await writer.stop();
      await world.remove(cluster);
    }, 60_000);
    test.each(scaling)("$name", (each) =>
      record("scaling", each, writer, () => each.run({ world, cluster })),
    );
  });

  describe.runIf(isAsked("kills"))("the operator killed after each step", () => {
    test("of scaling out and in again", { timeout: 1_200_000 }, () =>
      killAfterEach("kills: scaling out, then in", "kills", { replicas: 1 }, 1, [
        { what: "scaling 1 to 3", change: { replicas: 3 }, replicas: 3 },
        { what: "scaling 3 to 1", change: { replicas: 1 }, replicas: 1 },
      ]),
    );
    test("of a change that rolls", { timeout: 1_200_000 }, () =>
      killAfterEach("kills: rolling", "rolls", { replicas: 3 }, 3, [
        { what: "an option set", change: { etcdOptions: { "snapshot-count": "5000" } }, replicas: 3 },
        { what: "the option taken back", change: { etcdOptions: null }, replicas: 3 },
      ]),
    );
    test("of a replacement", { timeout: 1_200_000 }, killAfterEachOfReplacement);
    test.skipIf(oldest === undefined)("of an upgrade", { timeout: 1_800_000 }, killAfterEachOfUpgrade);
  });

  describe.runIf(isAsked("life"))("clusters with a life of their own", () => {
    test.each([
      ["TLS from the start, certificates renewed under load", tlsRotation],
      ["backup to a claim, disaster, restore into a new cluster", backupToClaim],
      ["backup to a bucket, disaster, restore into a new cluster", backupToBucket],
      ["recovery from the confirmed survivor of a lost quorum", recovery],
      ["members added by reads, and taken away when they end", autoscaled],
    ] as const)("%s", async (name, run) => {
      const begin = Date.now();
      let result = "passed";
      try {
        await run(world);
      } catch (error) {
        result = error instanceof Error ? error.message : String(error);
        throw error;
      } finally {
        const duration = Date.now() - begin;
        report.add({
          group: "life",
          name,
          result,
          duration,
          gap: undefined,
          failures: undefined,
          isPlanned: false,
        });
      }
    });
  });

  /** Runs a case of an enumeration: the others follow whatever becomes of it, and all that failed are named at the end. */
  async function attempt(problems: string[], name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
    if (!world.hasOperator) await world.startOperator();
  }

  function none(problems: readonly string[]): void {
    if (problems.length > 0) throw new Error(problems.join("\n"));
  }

  interface Change {
    readonly what: string;
    readonly change: object;
    readonly replicas: number;
  }

  /** Applies the changes in turn, and kills the operator after one step more each time, until no step is left to kill it after. */
  async function killAfterEach(
    group: string,
    cluster: string,
    spec: object,
    size: number,
    changes: readonly Change[],
  ): Promise<void> {
    await world.create(cluster, spec);
    await world.settled(cluster, size);
    const writer = await new Writer(world, cluster).start();
    const finished = new Set<Change>();
    const problems: string[] = [];
    try {
      for (let count = 1; finished.size < changes.length; count++)
        for (const change of changes) {
          const steps = world.steps.length;
          const work = async (): Promise<void> => {
            world.killAfterSteps(finished.has(change) ? Number.POSITIVE_INFINITY : count);
            await world.patch(cluster, change.change);
            await resumed(cluster, change.replicas);
          };
          if (finished.has(change)) {
            await work();
            continue;
          }
          const name = `${change.what}, killed after step ${count}`;
          await attempt(problems, name, () => record(group, { name, isPlanned: true }, writer, work));
          if (world.steps.length - steps <= count) finished.add(change);
        }
    } finally {
      await writer.stop();
      await world.remove(cluster);
    }
    none(problems);
  }

  /** Starts the operator again once it was killed, and waits until the cluster is settled. */
  async function resumed(cluster: string, replicas: number): Promise<void> {
    const whole = world.settled(cluster, replicas, 120_000);
    let isOver = false;
    const done = whole.finally(() => {
      isOver = true;
    });
    done.catch(() => undefined);
    while (!isOver) {
      if (!world.hasOperator) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await world.startOperator();
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    world.killAfterSteps(Number.POSITIVE_INFINITY);
    await done;
  }

  async function killAfterEachOfReplacement(): Promise<void> {
    const cluster = "replaced";
    await world.create(cluster, { replicas: 3 });
    await world.settled(cluster, 3);
    const writer = await new Writer(world, cluster).start();
    try {
      for (let count = 1, steps = 0; count <= Math.max(steps, count); count++) {
        const before = world.steps.length;
        const { status } = await world.get(cluster);
        const victim = status?.members?.[count % 3];
        await record(
          "kills: replacement",
          { name: `a wiped member replaced, killed after step ${count}` },
          writer,
          async () => {
            world.killAfterSteps(count);
            await world.nodes.exec(victim?.name ?? "", ["rm", "-rf", "/var/lib/etcd/data/member"]);
            world.signal(victim?.name ?? "", "SIGKILL");
            while (
              world.hasOperator &&
              (await world.get(cluster)).status?.members?.some(({ id }) => id === victim?.id)
            )
              await new Promise((resolve) => setTimeout(resolve, 100));
            await resumed(cluster, 3);
            await world.until(
              cluster,
              (now) => now.status?.members?.every(({ id }) => id !== victim?.id) === true,
            );
            await world.settled(cluster, 3);
          },
        );
        steps = world.steps.length - before;
        if (steps <= count) break;
      }
    } finally {
      await writer.stop();
      await world.remove(cluster);
    }
  }

  async function killAfterEachOfUpgrade(): Promise<void> {
    const problems: string[] = [];
    for (let count = 1; ; count++) {
      const cluster = `upgrade-${count}`;
      await world.create(cluster, { replicas: 3, version: oldest });
      await world.settled(cluster, 3, 120_000);
      const writer = await new Writer(world, cluster).start();
      const before = world.steps.length;
      try {
        const name = `${oldest} to ${newest}, killed after step ${count}`;
        const work = async (): Promise<void> => {
          world.killAfterSteps(count);
          await world.patch(cluster, { version: newest });
          await resumed(cluster, 3);
          await world.until(cluster, ({ status }) => status?.currentVersion === newest);
          await world.settled(cluster, 3);
        };
        await attempt(problems, name, () =>
          record("kills: upgrade", { name, isPlanned: true }, writer, work),
        );
      } finally {
        await writer.stop();
        await world.remove(cluster);
      }
      if (world.steps.length - before <= count) return none(problems);
    }
  }
});
