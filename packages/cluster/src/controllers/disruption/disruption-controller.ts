// Keeps count of how many pods each PodDisruptionBudget can spare.
import {
  deepEqual,
  type KubeObject,
  LabelMatcher,
  Pod,
  PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
} from "@kubewright/api";
import { type ObjectChange, objectKey, type StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { goSelector } from "../../workload/go-selector.js";
import { serverMessage } from "../../workload/server-message.js";
import type { BuiltInController, ControllerEnvironment } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { budgetStatus, countHealthy, failedStatus, needsScale, pendingDisruptions } from "./budget-status.js";
import { expectedScale, type OwnerStores, scaledKinds } from "./expected-scale.js";
import { staleDisruptions } from "./stale-disruptions.js";

export const disruptionController: BuiltInController = {
  name: "disruption",
  async start(environment) {
    const loops = [new Budgets(environment), staleDisruptions(environment)];
    const running = await Promise.all(loops.map((loop) => loop.start()));
    return { close: async () => void (await Promise.all(running.map((loop) => loop.close()))) };
  },
};

class Budgets {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #loop: SyncLoop;
  readonly #budgets: StoreReader<PodDisruptionBudget>;
  readonly #pods: StoreReader<Pod>;
  readonly #owners: OwnerStores;

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("controllermanager");
    this.#loop = new SyncLoop(environment, { name: "disruption", sync: (key) => this.#sync(key) });
    this.#budgets = this.#loop.watch(PodDisruptionBudget, ({ key, current }) => (current ? [key] : []));
    this.#pods = this.#loop.watch(Pod, (change) => this.#budgetsOf(change));
    const inNamespace = (change: ObjectChange<KubeObject>): Iterable<string> => this.#budgetsIn(change);
    this.#owners = new Map(scaledKinds.map((kind) => [kind.kind, this.#loop.watch(kind, inNamespace)]));
  }

  start(): Promise<SyncLoop> {
    return this.#loop.start();
  }

  async #sync(key: string): Promise<number | undefined> {
    const budget = this.#budgets.get(key);
    if (!budget || budget.metadata?.deletionTimestamp) return undefined;
    const now = this.#environment.clock.now();
    const selector = LabelMatcher.from(budget.spec?.selector);
    const pods = this.#pods
      .list({ namespace: budget.metadata?.namespace })
      .filter(({ metadata }) => selector.matches(metadata?.labels));
    if (pods.length === 0)
      this.#events.normal(PodDisruptionBudget, budget, "NoPods", "No matching pods found");
    const expected = await this.#expected(budget, pods);
    if (typeof expected === "string") {
      await this.#write(budget, failedStatus(budget, expected, now));
      return undefined;
    }
    const { disruptedPods, overdue, recheck } = pendingDisruptions(budget, pods, now);
    for (const pod of overdue) this.#reportOverdue(budget, pod);
    const healthy = countHealthy(pods, disruptedPods);
    await this.#write(budget, budgetStatus(budget, { healthy, expected, disruptedPods }, now));
    return recheck;
  }

  /** The expected number of pods; or, as text, why it is not known. */
  async #expected(budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<number | string> {
    if (!needsScale(budget)) return pods.length;
    try {
      const { replicas, unmanaged } = await expectedScale(this.#environment.client, this.#owners, pods);
      if (unmanaged.length > 0) this.#reportUnmanaged(budget);
      return replicas;
    } catch (error) {
      const message = serverMessage(error);
      const text = `Failed to calculate the number of expected pods: ${message}`;
      this.#events.warning(PodDisruptionBudget, budget, "CalculateExpectedPodCountFailed", text);
      return message;
    }
  }

  #reportUnmanaged(budget: PodDisruptionBudget): void {
    const selector = goSelector(budget.spec?.selector);
    const message = `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
    this.#events.warning(PodDisruptionBudget, budget, "UnmanagedPods", message);
  }

  #reportOverdue({ metadata }: PodDisruptionBudget, pod: Pod): void {
    const message = `Pod was expected by PDB ${metadata?.namespace}/${metadata?.name} to be deleted but it wasn't`;
    this.#events.warning(Pod, pod, "NotDeleted", message);
  }

  async #write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Promise<void> {
    if (deepEqual(status, budget.status)) return;
    await this.#environment.client.update(
      PodDisruptionBudget,
      { ...budget, status },
      { subresource: "status" },
    );
  }

  *#budgetsOf({ previous, current }: ObjectChange<Pod>): Iterable<string> {
    for (const budget of this.#budgets.list({ namespace: (current ?? previous)?.metadata?.namespace })) {
      const selector = LabelMatcher.from(budget.spec?.selector);
      if ([previous, current].some((pod) => pod && selector.matches(pod.metadata?.labels)))
        yield objectKey(budget);
    }
  }

  *#budgetsIn({ previous, current }: ObjectChange<KubeObject>): Iterable<string> {
    for (const budget of this.#budgets.list({ namespace: (current ?? previous)?.metadata?.namespace }))
      yield objectKey(budget);
  }
}
