// A node that is lost, a store that is full, and data that differs.
import { Event } from "@kubewright/api";
import { rule } from "@kubewright/cluster";
import { GrpcChannel } from "../../operators/etcd/src/client/grpc-channel.js";
import { methods } from "../../operators/etcd/src/client/messages.js";
import { namespace } from "../process-nodes/process-cluster.js";
import { type FaultCase, memberAt, members, type Scene, sleep, untilReplaced, whole } from "./cases.js";
import { pidOf } from "./etcd-world.js";

/** The texts of the events about a cluster, by reason. */
async function notesOf({ world, cluster }: Scene, reason: string): Promise<readonly string[]> {
  const { items } = await world.client.list(Event, { namespace });
  return items
    .filter((event) => event.involvedObject.name === cluster && event.reason === reason)
    .map(({ message = "" }) => message);
}

async function expectEvents(scene: Scene, ...reasons: readonly string[]): Promise<void> {
  for (const reason of reasons)
    if ((await notesOf(scene, reason)).length === 0) throw new Error(`there is no event ${reason}`);
}

/** Neither the kubelet nor etcd of the node answers, and its pod cannot end. */
export const lostNode: FaultCase = {
  name: "the node of a member lost for longer than the grace time",
  async run(scene) {
    const { world, cluster } = scene;
    const { status } = await world.get(cluster);
    const all = status?.members ?? [];
    const victim = all.find(({ node }) => all.filter((member) => member.node === node).length === 1);
    const pid = pidOf(victim?.name ?? "");
    if (!victim?.node || pid === undefined) throw new Error("no member has a node of its own");
    const { node, id = "" } = victim;
    const down = world.nodes.cluster.simulate(rule({ node }, { nodeDown: true }));
    process.kill(pid, "SIGSTOP");
    try {
      await untilReplaced(scene, id);
      // Its pod stays until the node is back.
      await world.settled(cluster, scene.size);
      const after = (await world.get(cluster)).status?.members ?? [];
      if (after.some((member) => member.node === node)) throw new Error("a member is on the lost node");
    } finally {
      down.remove();
      resume(pid);
    }
    await sleep(2_000);
    await whole(scene);
  },
};

function resume(pid: number): void {
  try {
    process.kill(pid, "SIGCONT");
  } catch {
    // Its pod was ended meanwhile.
  }
}

const quota = 24 * 1024 * 1024;
export const smallQuota = { "quota-backend-bytes": String(quota) };

/** One key is written over and over, until there is no space for its history. */
export const noSpace: FaultCase = {
  name: "no space left: compacted, defragmented one member at a time, the leader last, and cleared",
  async run(scene) {
    const { world, cluster } = scene;
    const leader = await memberAt(scene, "leader");
    const client = world.member(leader.name, cluster, 10_000);
    try {
      await fill(client);
    } finally {
      client.close();
    }
    await world.until(
      cluster,
      ({ status }) =>
        status?.members?.some(({ alarms }) => alarms?.includes("NOSPACE")) === true &&
        status.conditions?.some(({ type, reason }) => type === "Degraded" && reason === "AlarmRaised") ===
          true,
    );
    await whole(scene);
    await expectEvents(scene, "AlarmRaised", "Compacted", "Defragmented", "AlarmDisarmed");
    const order = world.steps.flatMap((step) => (step.kind === "defragment" ? [step.member] : []));
    if (order.length !== scene.size || order.at(-1) !== leader.name)
      throw new Error(`defragmented in the order ${order.join(", ")}, and ${leader.name} leads`);
    const { status } = await world.get(cluster);
    const full = status?.members?.find(({ dbSize = 0 }) => dbSize > quota / 2);
    if (full) throw new Error(`${full.name} has ${full.dbSize} bytes`);
  },
};

async function fill(client: { put(key: string, value: string): Promise<number> }): Promise<void> {
  const value = "x".repeat(512 * 1024);
  for (let count = 0; count < 200; count++)
    try {
      await client.put("large", value);
    } catch (error) {
      if (/space exceeded/.test(String(error))) return;
      throw error;
    }
  throw new Error("the store took more than its quota");
}

/** etcd raises this alarm when a member's data differs from the others'; here the test does. */
export const corrupt: FaultCase = {
  name: "an alarm that a member's data is corrupt",
  async run(scene) {
    const { world, cluster } = scene;
    const victim = await memberAt(scene, 2);
    const others = (await members(scene)).filter(({ id }) => id !== victim.id);
    const channel = new GrpcChannel({
      what: "test",
      open: () => world.client.pods.portForward(others[0]?.name ?? "", 2379, { namespace }),
    });
    try {
      await channel.call(methods.alarm, { action: 1n, memberID: BigInt(`0x${victim.id}`), alarm: 2n }, 5_000);
    } finally {
      channel.close();
    }
    await untilReplaced(scene, victim.id);
    await whole(scene);
    await expectEvents(scene, "AlarmRaised", "MemberFailed", "AlarmDisarmed");
    if ((await world.get(cluster)).status?.members?.some(({ alarms }) => alarms?.length))
      throw new Error("an alarm is still there");
  },
};
