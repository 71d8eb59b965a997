// The pod garbage collector: deletes pods of nodes that are gone or out of service, those deleted before they had a node, and
// finished ones when there are too many.
import { formatTime, isNotFound, Node, Pod } from "@kubewright/api";
import { objectKey } from "@kubewright/runtime";
import { isNodeNews } from "../../workload/node-news.js";
import { isFinished } from "../../workload/pod-state.js";
import { indexPodsByNode, podsOnNode } from "../../workload/pods-on-node.js";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { type Collection, collectionOf, surplus } from "./collectable.js";

/** Finished pods that are kept. */
const limit = 12_500;
/** How long a node may be away before its pods count as orphans. */
const quarantine = 40_000;
/** The key that stands for counting finished pods. */
const counting = "";

export const podGarbageCollector: BuiltInController = {
  name: "podgc",
  start(environment) {
    const { client, clock } = environment;
    /** By node: when it was first found missing. */
    const missing = new Map<string, number>();
    let finished = 0;
    const loop = new SyncLoop(environment, { name: "podgc", sync });
    const nodes = loop.cache(Node);
    const pods = loop.watch(Pod, ({ key, previous, current }) => {
      finished +=
        Number(current !== undefined && isFinished(current)) -
        Number(previous !== undefined && isFinished(previous));
      const keys = finished > limit ? [counting] : [];
      return current && mayNeedCollection(current) ? [...keys, key] : keys;
    });
    indexPodsByNode(pods);
    loop.watch(Node, ({ key, previous, current }) => {
      if (!isNodeNews(previous, current)) return [];
      if (current) missing.delete(key);
      return podsOnNode(pods, key)
        .filter((pod) => !current || mayNeedCollection(pod))
        .map(objectKey);
    });
    return loop.start();

    function mayNeedCollection({ metadata, spec }: Pod): boolean {
      return (
        metadata?.deletionTimestamp !== undefined || Boolean(spec?.nodeName && !nodes.get(spec.nodeName))
      );
    }

    async function sync(key: string): Promise<number | undefined> {
      if (key === counting) {
        for (const pod of surplus(pods.values(), limit)) await collect(pod, undefined);
        return undefined;
      }
      const pod = pods.get(key);
      const name = pod?.spec?.nodeName ?? "";
      const reason = pod && collectionOf(pod, nodes.get(name));
      if (!pod || !reason) return undefined;
      if (reason === "orphaned") {
        const since = missing.get(name) ?? clock.now();
        missing.set(name, since);
        const left = since + quarantine - clock.now();
        if (left > 0) return left;
      }
      await collect(pod, reason);
      return undefined;
    }

    async function collect(pod: Pod, reason: Collection | undefined): Promise<void> {
      const { name = "", namespace, uid } = pod.metadata ?? {};
      try {
        if (reason && !isFinished(pod)) await fail(pod, reason);
        await client.delete(Pod, name, { namespace, gracePeriodSeconds: 0, preconditions: { uid } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }

    /** Marks the pod failed before it is deleted, so that its controllers see that it did not succeed. */
    async function fail({ metadata }: Pod, reason: Collection): Promise<void> {
      const { name = "", namespace, uid, generation } = metadata ?? {};
      const condition = {
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByPodGC",
        message: "PodGC: node no longer exists",
        observedGeneration: generation,
        lastTransitionTime: formatTime(clock.now()),
      };
      const conditions = reason === "orphaned" ? { conditions: [condition] } : {};
      const strategic = { metadata: { uid }, status: { phase: "Failed", ...conditions } };
      await client.patch(Pod, name, { strategic }, { namespace, subresource: "status" });
    }
  },
};
