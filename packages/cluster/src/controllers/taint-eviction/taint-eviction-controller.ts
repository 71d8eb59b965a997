// Sends pods away from nodes whose taints they do not tolerate, at once or after as long as they do.
import { deepEqual, formatTime, isNotFound, Node, Pod } from "@kubewright/api";
import { objectKey } from "@kubewright/runtime";
import { indexPodsByNode, podsOnNode } from "../../workload/pods-on-node.js";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { evictionTime } from "./eviction-time.js";

export const taintEvictionController: BuiltInController = {
  name: "taint-eviction-controller",
  start(environment) {
    const { client, clock } = environment;
    const events = environment.events("taint-eviction-controller");
    /** Keys of pods with an event that announces their eviction. */
    const marked = new Set<string>();
    const loop = new SyncLoop(environment, { name: "taint-eviction-controller", sync });
    const pods = loop.watch(Pod, ({ key, previous, current }) => (isNews(previous, current) ? [key] : []));
    indexPodsByNode(pods);
    const nodes = loop.watch(Node, ({ key, previous, current }) => {
      if (deepEqual(expelling(previous), expelling(current))) return [];
      return podsOnNode(pods, key).map(objectKey);
    });
    return loop.start();

    async function sync(key: string): Promise<number | undefined> {
      const pod = pods.get(key);
      const node = nodes.get(pod?.spec?.nodeName ?? "");
      const now = clock.now();
      const time = pod && node ? evictionTime(pod, expelling(node), now) : undefined;
      if (!pod || pod.metadata?.deletionTimestamp || time === undefined) {
        if (marked.delete(key) && pod && !pod.metadata?.deletionTimestamp)
          events.normal(Pod, pod, "TaintManagerEviction", `Cancelling deletion of Pod ${key}`);
        return undefined;
      }
      if (time > now) {
        marked.add(key);
        return time - now;
      }
      marked.delete(key);
      events.normal(Pod, pod, "TaintManagerEviction", `Marking for deletion Pod ${key}`);
      await evict(pod);
      return undefined;
    }

    async function evict({ metadata }: Pod): Promise<void> {
      const { name = "", namespace, uid, generation } = metadata ?? {};
      const condition = {
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
        observedGeneration: generation,
        lastTransitionTime: formatTime(clock.now()),
      };
      const strategic = { metadata: { uid }, status: { conditions: [condition] } };
      try {
        await client.patch(Pod, name, { strategic }, { namespace, subresource: "status" });
        await client.delete(Pod, name, { namespace, preconditions: { uid } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  },
};

/** Taints that make pods leave. */
const expelling = (node: Node | undefined) =>
  (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");

/** Most changes of pods are of their status. */
function isNews(previous: Pod | undefined, current: Pod | undefined): boolean {
  return (
    previous?.spec?.nodeName !== current?.spec?.nodeName ||
    !deepEqual(previous?.spec?.tolerations, current?.spec?.tolerations)
  );
}
