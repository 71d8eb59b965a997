// Keeps count of how many pods each PodDisruptionBudget can spare.
import {
  Deployment,
  deepEqual,
  getControllerOf,
  LabelMatcher,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  StatefulSet,
} from "@kubewright/api";
import { keyOf, type ObjectChange, objectKey } from "@kubewright/runtime";
import { isActive, isReady } from "../../workload/pod-facts.js";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { budgetStatus } from "./budget-status.js";

export const disruptionController: BuiltInController = {
  name: "disruption",
  start(environment) {
    const loop = new SyncLoop(environment, { name: "disruption", sync });
    const budgets = loop.watch(PodDisruptionBudget, ({ key, current }) => (current ? [key] : []));
    const pods = loop.watch(Pod, budgetsOf);
    const replicaSets = loop.watch(ReplicaSet, budgetsInNamespace);
    const deployments = loop.watch(Deployment, budgetsInNamespace);
    const statefulSets = loop.watch(StatefulSet, budgetsInNamespace);
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const budget = budgets.get(key);
      if (!budget || budget.metadata?.deletionTimestamp) return;
      const selector = LabelMatcher.from(budget.spec?.selector);
      const selected = pods
        .list({ namespace: budget.metadata?.namespace })
        .filter((pod) => selector.matches(pod.metadata?.labels) && isActive(pod));
      const counts = {
        pods: selected.length,
        healthy: selected.filter(isReady).length,
        wanted: wantedOf(selected),
      };
      const status = budgetStatus(budget, counts, environment.clock.now());
      if (deepEqual(status, budget.status)) return;
      await environment.client.update(PodDisruptionBudget, { ...budget, status }, { subresource: "status" });
    }

    /** What the controllers of the pods ask for, each counted once; a pod of its own counts as one. */
    function wantedOf(selected: readonly Pod[]): number {
      const wanted = new Map<string, number>();
      for (const pod of selected) {
        const { uid, replicas } = scaleOf(pod);
        wanted.set(uid, replicas);
      }
      return [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0);
    }

    function scaleOf(pod: Pod): { readonly uid: string; readonly replicas: number } {
      const { kind = "", name = "", uid = pod.metadata?.uid ?? "" } = getControllerOf(pod) ?? {};
      const key = keyOf(name, pod.metadata?.namespace);
      if (kind === "StatefulSet") return { uid, replicas: statefulSets.get(key)?.spec?.replicas ?? 1 };
      if (kind !== "ReplicaSet") return { uid, replicas: 1 };
      const set = replicaSets.get(key);
      const owner = set && getControllerOf(set);
      const deployment =
        owner?.kind === "Deployment"
          ? deployments.get(keyOf(owner.name, pod.metadata?.namespace))
          : undefined;
      if (deployment) return { uid: owner?.uid ?? uid, replicas: deployment.spec?.replicas ?? 1 };
      return { uid, replicas: set?.spec?.replicas ?? 1 };
    }

    function* budgetsOf({ previous, current }: ObjectChange<Pod>): Iterable<string> {
      for (const budget of budgets.list({ namespace: (current ?? previous)?.metadata?.namespace })) {
        const selector = LabelMatcher.from(budget.spec?.selector);
        if ([previous, current].some((pod) => pod && selector.matches(pod.metadata?.labels)))
          yield objectKey(budget);
      }
    }

    function* budgetsInNamespace({
      previous,
      current,
    }: ObjectChange<{ readonly metadata?: Pod["metadata"] }>): Iterable<string> {
      for (const budget of budgets.list({ namespace: (current ?? previous)?.metadata?.namespace }))
        yield objectKey(budget);
    }
  },
};
