// Makes the pods of Jobs, deletes them, and lets those go that have been counted; each with the events users know.
import { isAlreadyExists, isNotFound, Job, Pod } from "@kubewright/api";
import type { EventRecorder } from "../../events/event-recorder.js";
import { createInBatches, isNamespaceTerminating } from "../../workload/create-pods.js";
import { serverMessage } from "../../workload/server-message.js";
import type { ControllerEnvironment } from "../controller.js";
import { isTracked, jobPod, type PodOrder, trackingFinalizer } from "./job-pods.js";

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";

/** The result of creating pods. */
export interface Created {
  readonly created: number;
  readonly error?: unknown;
}

export class JobPodKeeper {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;

  constructor(environment: ControllerEnvironment, events: EventRecorder) {
    this.#environment = environment;
    this.#events = events;
  }

  /** Makes what was ordered, as far as it goes. */
  async create(job: Job, orders: readonly PodOrder[]): Promise<Created> {
    const left = orders.toReversed();
    let created = 0;
    const create = async (): Promise<void> => {
      const order = left.pop() ?? {};
      const pod = await this.#createOne(job, order);
      if (pod) created++;
    };
    try {
      await createInBatches(orders.length, create);
      return { created };
    } catch (error) {
      return isNamespaceTerminating(error) ? { created } : { created, error };
    }
  }

  /** Ends a pod; one that is gone already is no failure. */
  async delete(job: Job, pod: Pod): Promise<void> {
    const { name = "", namespace, uid } = pod.metadata ?? {};
    try {
      await this.#environment.client.delete(Pod, name, { namespace, preconditions: { uid } });
      this.#events.normal(Job, job, "SuccessfulDelete", `Deleted pod: ${name}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Takes the finalizer off: the pod is counted, or never will be. */
  async release(pod: Pod): Promise<void> {
    if (!isTracked(pod)) return;
    const { name = "", namespace, uid, finalizers = [] } = pod.metadata ?? {};
    const merge = { metadata: { uid, finalizers: finalizers.filter((held) => held !== trackingFinalizer) } };
    try {
      await this.#environment.client.patch(Pod, name, { merge }, { namespace });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #createOne(job: Job, order: PodOrder): Promise<Pod | undefined> {
    try {
      const pod = await this.#environment.client.create(Pod, jobPod(job, order, this.#suffix()));
      this.#events.normal(Job, job, "SuccessfulCreate", `Created pod: ${pod.metadata?.name}`);
      return pod;
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      if (!isNamespaceTerminating(error))
        this.#events.warning(Job, job, "FailedCreate", `Error creating: ${serverMessage(error)}`);
      throw error;
    }
  }

  #suffix(): string {
    const letter = (): string =>
      suffixLetters[Math.floor(this.#environment.random() * suffixLetters.length)] ?? "x";
    return Array.from({ length: 5 }, letter).join("");
  }
}
