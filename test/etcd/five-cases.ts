// Faults of a cluster of five, which goes on without two of its members.
import { Pod } from "@kubewright/api";
import { namespace } from "../process-nodes/process-cluster.js";
import {
  type FaultCase,
  killed,
  lasting,
  memberAt,
  members,
  notReplaced,
  type Scene,
  sleep,
  untilReplaced,
  whole,
} from "./cases.js";

/** The leader and the members after it. */
async function leaderAndOthers(
  scene: Scene,
  count: number,
): Promise<readonly { name: string; id: string }[]> {
  const leader = await memberAt(scene, "leader");
  const others = (await members(scene)).filter(({ id }) => id !== leader.id);
  return [leader, ...others].slice(0, count);
}

const kill = (count: number, name: string): FaultCase => ({
  name,
  async run(scene) {
    const before = await members(scene);
    await killed(scene, await leaderAndOthers(scene, count));
    await whole(scene);
    await notReplaced(scene, before);
  },
});

const wiped = (count: number, name: string): FaultCase => ({
  name,
  async run(scene) {
    const victims = await leaderAndOthers(scene, count);
    for (const victim of victims) await lasting["its data wiped"]?.(scene, victim);
    for (const { id } of victims) await untilReplaced(scene, id);
    await whole(scene);
  },
});

/** Longer than a container that was killed twice waits before it starts again, which is no fault of etcd's. */
export const graceOfFive = { failureGraceSeconds: 40 };

/** Between kills members are replaced, so that none has to wait long before it starts again. */
export const faultsOfFive: readonly FaultCase[] = [
  kill(1, "the leader of 5 killed with SIGKILL"),
  wiped(1, "the leader of 5: its data wiped"),
  kill(2, "2 of 5, the leader among them, killed with SIGKILL at once"),
  wiped(2, "2 of 5, the leader among them: their data wiped at once"),
  kill(3, "3 of 5, the leader among them, killed with SIGKILL at once"),
  {
    name: "2 of 5 paused for less than the grace time",
    async run(scene) {
      const before = await members(scene);
      const paused = before.slice(0, 2);
      for (const { name } of paused) scene.world.signal(name, "SIGSTOP");
      await sleep(6_000);
      for (const { name } of paused) scene.world.signal(name, "SIGCONT");
      await whole(scene);
      await notReplaced(scene, before);
    },
  },
  {
    name: "3 of 5 paused for longer than the grace time, which loses the quorum",
    async run(scene) {
      const before = await members(scene);
      const paused = before.slice(0, 3);
      for (const { name } of paused) scene.world.signal(name, "SIGSTOP");
      await scene.world.until(scene.cluster, ({ status }) => status?.phase === "QuorumLost");
      await sleep(45_000);
      for (const { name } of paused) scene.world.signal(name, "SIGCONT");
      await whole(scene);
      await notReplaced(scene, before);
    },
  },
  {
    name: "the pods of 3 of 5 deleted at once",
    async run(scene) {
      const before = await members(scene);
      for (const { name } of before.slice(0, 3)) await scene.world.client.delete(Pod, name, { namespace });
      await sleep(1_000);
      await whole(scene);
      await notReplaced(scene, before);
    },
  },
  kill(5, "5 of 5 killed with SIGKILL at once"),
];
