// Ends every old pod before the first new one starts.
import type { Pod, ReplicaSet } from "@kubewright/api";
import { isFinished } from "../../workload/pod-state.js";
import type { Rollout } from "./rollout.js";
import { replicasOf } from "./rollout-limits.js";

/** Makes one step; `podsOf` are the pods of a set that are still there, ending ones too. */
export async function recreate(rollout: Rollout, podsOf: (set: ReplicaSet) => readonly Pod[]): Promise<void> {
  await rollout.revise({ create: false });
  let hasShrunk = false;
  for (const set of rollout.old)
    if (replicasOf(set) > 0) hasShrunk = (await rollout.scale(set, 0)) || hasShrunk;
  if (hasShrunk) return;
  if (rollout.old.some((set) => podsOf(set).some((pod) => !isFinished(pod)))) return;
  await rollout.revise({ create: true });
  const { newest, deployment } = rollout;
  if (newest) await rollout.scale(newest, replicasOf(deployment));
}
