// The cases of the fault matrix. Each begins and ends with a cluster that is whole, with a writer that writes all the time; afterwards every
// acknowledged write must be there and all members hold the same.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PersistentVolumeClaim, Pod } from "@kubewright/api";
import { namespace } from "../process-nodes/process-cluster.js";
import { type EtcdWorld, pidOf } from "./etcd-world.js";

export interface Scene {
  readonly world: EtcdWorld;
  readonly cluster: string;
  /** Members. */
  readonly size: number;
}

export interface FaultCase {
  readonly name: string;
  /** What is changed on purpose, so that no write of a client that retries may fail. */
  readonly change?: string;
  run(scene: Scene): Promise<void>;
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Waits until the cluster is whole: by its status, which may be of a moment before the fault, by its pods, and by what members answer
 * here. Limits are generous: how long things take is measured elsewhere, and this machine may be busy.
 */
export async function whole(scene: Scene): Promise<void> {
  for (const end = Date.now() + 180_000; ; ) {
    await scene.world.settled(scene.cluster, scene.size);
    if (await isWhole(scene)) return;
    if (Date.now() > end) throw new Error("timed out: the status says that all is well, and it is not");
    await sleep(200);
  }
}

async function isWhole({ world, cluster, size }: Scene): Promise<boolean> {
  const pods = await world.pods(cluster);
  if (pods.length !== size || pods.some(({ metadata }) => metadata?.deletionTimestamp)) return false;
  const answers = await Promise.all(
    pods.map(async ({ metadata }) => {
      const client = world.member(metadata?.name ?? "", cluster, 2_000);
      const status = await client.status().catch(() => undefined);
      client.close();
      return status?.leader;
    }),
  );
  return answers.every((leader) => leader !== undefined && leader === answers[0]);
}

/** The members by their place in the status; places stay when members are replaced. */
export async function members({ world, cluster }: Scene): Promise<readonly { name: string; id: string }[]> {
  const { status } = await world.get(cluster);
  return (status?.members ?? []).map(({ name, id }) => ({ name, id: id ?? "" }));
}

export async function memberAt(
  scene: Scene,
  place: number | "leader",
): Promise<{ name: string; id: string }> {
  const all = await members(scene);
  const { status } = await scene.world.get(scene.cluster);
  const found = place === "leader" ? all.find(({ name }) => name === status?.leader) : all[place];
  if (!found) throw new Error(`there is no member ${place}`);
  return found;
}

/** The cluster has noticed that something is wrong, or is through with it already. */
export async function untilReplaced(scene: Scene, id: string): Promise<void> {
  await scene.world.until(
    scene.cluster,
    ({ status }) => status?.members?.every((member) => member.id !== id) === true,
    180_000,
  );
}

export async function notReplaced(scene: Scene, before: readonly { id: string }[]): Promise<void> {
  const after = await members(scene);
  const ids = (list: readonly { id: string }[]) =>
    list
      .map(({ id }) => id)
      .toSorted()
      .join();
  if (ids(after) !== ids(before)) throw new Error("the membership changed after a transient loss");
}

/** Kills their processes at once, and waits until each runs again as another one. */
export async function killed({ world }: Scene, victims: readonly { readonly name: string }[]): Promise<void> {
  const before = new Map(victims.map(({ name }) => [name, pidOf(name)]));
  for (const { name } of victims) world.signal(name, "SIGKILL");
  const isBack = (name: string): boolean => ![undefined, before.get(name)].includes(pidOf(name));
  await until(() => victims.every(({ name }) => isBack(name)), "the members run again");
  await sleep(1_000);
}

async function until(test: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 120_000; !test(); ) {
    if (Date.now() > end) throw new Error(`timed out: ${what}`);
    await sleep(50);
  }
}

const exec = (scene: Scene, member: string, script: string) =>
  scene.world.nodes.exec(member, ["sh", "-c", script]);

const data = "/var/lib/etcd/data/member";

type Fault = (scene: Scene, member: { name: string; id: string }) => Promise<void>;

/** Faults after which the same member goes on. */
export const transient: Readonly<Record<string, Fault>> = {
  "killed with SIGKILL": (scene, member) => killed(scene, [member]),
  "paused with SIGSTOP for 4 s": async ({ world }, { name }) => {
    world.signal(name, "SIGSTOP");
    await sleep(4_000);
    world.signal(name, "SIGCONT");
  },
  "its pod deleted": async ({ world }, { name }) => {
    await world.client.delete(Pod, name, { namespace });
  },
};

/** Faults after which the member must be replaced. */
export const lasting: Readonly<Record<string, Fault>> = {
  "its data wiped": async (scene, { name }) => {
    await exec(scene, name, `rm -rf ${data}`);
    scene.world.signal(name, "SIGKILL");
  },
  "its store damaged": async (scene, { name }) => {
    await exec(scene, name, `dd if=/dev/urandom of=${data}/snap/db bs=4096 count=2 conv=notrunc 2>/dev/null`);
    scene.world.signal(name, "SIGKILL");
  },
  "its claim and pod deleted": async ({ world }, { name }) => {
    await world.client.delete(PersistentVolumeClaim, `data-${name}`, { namespace });
    await world.client.delete(Pod, name, { namespace });
  },
};

const places = [0, 1, 2, "leader"] as const;
const placeName = (place: number | "leader"): string =>
  place === "leader" ? "the leader" : `member ${place + 1} of 3`;

export const memberFaults: readonly FaultCase[] = places.flatMap((place) => [
  ...Object.entries(transient).map(([name, fault]) => ({
    name: `${placeName(place)}: ${name}`,
    async run(scene: Scene) {
      const before = await members(scene);
      await fault(scene, await memberAt(scene, place));
      await sleep(1_000);
      await whole(scene);
      await notReplaced(scene, before);
    },
  })),
  ...Object.entries(lasting).map(([name, fault]) => ({
    name: `${placeName(place)}: ${name}`,
    async run(scene: Scene) {
      const member = await memberAt(scene, place);
      await fault(scene, member);
      await untilReplaced(scene, member.id);
      await whole(scene);
    },
  })),
]);

/** Faults of several members at once. */
export const quorumFaults: readonly FaultCase[] = [
  {
    name: "the log of a member damaged at random, which etcd repairs or refuses",
    async run(scene) {
      const { name } = await memberAt(scene, 1);
      const script = `for f in ${data}/wal/*.wal; do dd if=/dev/urandom of=$f bs=1 count=512 seek=64 conv=notrunc 2>/dev/null; done`;
      await exec(scene, name, script);
      scene.world.signal(name, "SIGKILL");
      await sleep(3_000);
      await whole(scene);
    },
  },
  ...([2, 3] as const).flatMap((count) => [
    {
      name: `${count} of 3 killed with SIGKILL at once`,
      async run(scene: Scene) {
        const before = await members(scene);
        await killed(scene, before.slice(0, count));
        await whole(scene);
        await notReplaced(scene, before);
      },
    },
    {
      name: `${count} of 3 paused for longer than the grace time, which loses the quorum`,
      async run(scene: Scene) {
        const before = await members(scene);
        const paused = before.slice(0, count);
        for (const { name } of paused) scene.world.signal(name, "SIGSTOP");
        await scene.world.until(scene.cluster, ({ status }) => status?.phase === "QuorumLost");
        await sleep(20_000);
        for (const { name } of paused) scene.world.signal(name, "SIGCONT");
        await whole(scene);
        await notReplaced(scene, before);
      },
    },
    {
      name: `the pods of ${count} of 3 deleted at once`,
      async run(scene: Scene) {
        const before = await members(scene);
        for (const { name } of before.slice(0, count))
          await scene.world.client.delete(Pod, name, { namespace });
        await sleep(1_000);
        await whole(scene);
        await notReplaced(scene, before);
      },
    },
  ]),
  {
    name: "a member paused for longer than the grace time is replaced, and comes back to nothing",
    async run(scene) {
      const member = await memberAt(scene, 1);
      const pid = pidOf(member.name);
      scene.world.signal(member.name, "SIGSTOP");
      await untilReplaced(scene, member.id);
      if (pid !== undefined)
        try {
          process.kill(pid, "SIGCONT");
        } catch {
          // Its pod was killed meanwhile.
        }
      await whole(scene);
    },
  },
  {
    name: "an old data directory under a new member",
    async run(scene) {
      const member = await memberAt(scene, 2);
      // The data of the member that is removed is kept aside, and put in the place of its successor's.
      const kept = mkdtempSync(join(tmpdir(), "kubewright-etcd-data-"));
      cpSync(dataOf(member.name), kept, { recursive: true });
      await scene.world.client.delete(PersistentVolumeClaim, `data-${member.name}`, { namespace });
      await scene.world.client.delete(Pod, member.name, { namespace });
      await untilReplaced(scene, member.id);
      await whole(scene);
      const successor = await memberAt(scene, 2);
      const place = dataOf(successor.name);
      rmSync(join(place, "member"), { recursive: true });
      cpSync(kept, place, { recursive: true });
      rmSync(kept, { recursive: true });
      scene.world.signal(successor.name, "SIGKILL");
      await untilReplaced(scene, successor.id);
      await whole(scene);
    },
  },
];

/** The data of a member, as this machine sees it while its etcd runs. */
const dataOf = (member: string): string => `/proc/${pidOf(member)}/root/var/lib/etcd/data`;

/** Sizes under load, one after the other. */
export const scaling: readonly FaultCase[] = [3, 5, 3, 1].map((replicas, index) => ({
  name: `scaled from ${[1, 3, 5, 3][index]} to ${replicas}`,
  change: `scaling ${[1, 3, 5, 3][index]} to ${replicas}`,
  async run({ world, cluster }: Scene) {
    await world.patch(cluster, { replicas });
    await world.settled(cluster, replicas);
  },
}));
