// Preempts less important pods for a pod that fits nowhere: they get an event, terminate gracefully, and the node is
// reserved for the pod meanwhile.
import { formatTime, isNotFound, Pod, type PodDisruptionBudget } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import type { ControllerEnvironment } from "../controllers/controller.js";
import type { Choice } from "./choose-node.js";
import { failureMessage } from "./fit-message.js";
import { ineligible, planPreemption } from "./preemption.js";
import type { UnschedulableReport } from "./report-unschedulable.js";
import type { ClusterState } from "./state/cluster-state.js";
import type { PodInfo } from "./state/pod-info.js";

/** The text before the one about preemption: the DynamicResources plugin could not help either. */
const noClaims = "no new claims to deallocate";

export class Preemptor {
  readonly #environment: ControllerEnvironment;
  readonly #state: ClusterState;
  readonly #budgets: StoreReader<PodDisruptionBudget>;

  constructor(
    environment: ControllerEnvironment,
    state: ClusterState,
    budgets: StoreReader<PodDisruptionBudget>,
  ) {
    this.#environment = environment;
    this.#state = state;
    this.#budgets = budgets;
  }

  /** Does what can be done for the pod, and returns the report for its status. */
  async preempt(
    pod: PodInfo,
    { failure, fitting }: Exclude<Choice, { readonly node: unknown }>,
  ): Promise<UnschedulableReport> {
    const why = failureMessage(failure);
    const refusal = ineligible(pod, failure, this.#state);
    if (refusal !== undefined) return { message: `${why} ${noClaims}, preemption: ${refusal}` };
    const plan = planPreemption(fitting, failure, this.#state, [...this.#budgets.values()]);
    if ("failure" in plan) {
      this.#state.nominate(pod, "");
      const message = `${why} ${noClaims}, preemption: ${failureMessage(plan.failure)}`;
      return { message, nominatedNodeName: "" };
    }
    const { node, victims } = plan.candidate;
    this.#state.nominate(pod, node);
    for (const lesser of this.#state.lesserNominatedOn(node, pod)) await this.#withdraw(lesser);
    for (const victim of victims) await this.#evict(victim, pod, node);
    return { message: why, nominatedNodeName: node };
  }

  async #evict({ pod }: PodInfo, preemptor: PodInfo, node: string): Promise<void> {
    const { client, clock, events } = this.#environment;
    const { name = "", namespace, uid, deletionTimestamp, generation } = pod.metadata ?? {};
    if (deletionTimestamp) return;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: "default-scheduler: preempting to accommodate a higher priority pod",
      observedGeneration: generation,
      lastTransitionTime: formatTime(clock.now()),
    };
    try {
      const strategic = { metadata: { uid }, status: { conditions: [condition] } };
      const fieldManager = "kube-scheduler";
      await client.patch(Pod, name, { strategic }, { namespace, subresource: "status", fieldManager });
      await client.delete(Pod, name, { namespace, preconditions: { uid } });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    const text = `Preempted by pod ${preemptor.uid} on node ${node}`;
    events("default-scheduler").normal(Pod, pod, "Preempted", text);
  }

  /** The node goes to somebody more important. */
  async #withdraw(lesser: PodInfo): Promise<void> {
    this.#state.nominate(lesser, "");
    const { name = "", namespace, uid } = lesser.pod.metadata ?? {};
    const strategic = { metadata: { uid }, status: { nominatedNodeName: null } };
    await this.#environment.client
      .patch(Pod, name, { strategic }, { namespace, subresource: "status", fieldManager: "kube-scheduler" })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}
