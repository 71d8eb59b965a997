// A pod that was to be disrupted, and is still there when that has long been due, was spared after all.
import { findCondition, formatTime, Pod } from "@kubewright/api";
import type { ControllerEnvironment } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";

const type = "DisruptionTarget";
const staleAfter = 2 * 60_000;

/** Watches pods with the condition DisruptionTarget. */
export function staleDisruptions(environment: ControllerEnvironment): SyncLoop {
  const { client, clock } = environment;
  const loop = new SyncLoop(environment, { name: "disruption-stale", sync });
  const pods = loop.watch(Pod, ({ key, current }) =>
    current && disruptedAt(current) !== undefined ? [key] : [],
  );
  return loop;

  async function sync(key: string): Promise<number | undefined> {
    const pod = pods.get(key);
    const since = pod && disruptedAt(pod);
    if (since === undefined) return undefined;
    const left = since + staleAfter - clock.now();
    if (left > 0) return left;
    const condition = {
      type,
      status: "False",
      reason: null,
      message: null,
      lastTransitionTime: formatTime(clock.now()),
      observedGeneration: pod?.metadata?.generation,
    };
    const { name = "", namespace, uid } = pod?.metadata ?? {};
    await client.patch(
      Pod,
      name,
      { strategic: { metadata: { uid }, status: { conditions: [condition] } } },
      { namespace, subresource: "status" },
    );
    return undefined;
  }
}

/** When the pod got the condition DisruptionTarget; undefined without it, and for pods that are terminating or have ended. */
function disruptedAt({ metadata, status }: Pod): number | undefined {
  const condition = findCondition(status?.conditions, type);
  if (condition?.status !== "True" || metadata?.deletionTimestamp) return undefined;
  if (condition.reason === "TerminationByKubelet") return undefined;
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return undefined;
  return Date.parse(condition.lastTransitionTime ?? "") || 0;
}
