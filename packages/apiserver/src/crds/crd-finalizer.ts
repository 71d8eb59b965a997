// Deletes the custom resources of terminating CRDs, and then removes the CRD's finalizer.

import type { CustomResourceDefinition } from "@kubewright/api";
import { type ConditionUpdate, cleanupFinalizer } from "@kubewright/kinds";

import type { Services } from "../registry/request-context.js";
import { deleteInstances, type Yielding } from "./delete-instances.js";
import { KeyWorker } from "./key-worker.js";
import type { StatusNews } from "./next-status.js";
import { isTrue } from "./served-crd.js";
import { customTable } from "./tables.js";

/** Whether a terminating CRD still has the cleanup finalizer. */
export const isFinalizing = ({ metadata }: CustomResourceDefinition): boolean =>
  metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(cleanupFinalizer) === true;

/** Reads and updates CRDs for the finalizer. */
export interface Crds {
  read(name: string): CustomResourceDefinition | undefined;
  report(crd: CustomResourceDefinition, news: StatusNews): Promise<void>;
}

const terminating = (status: "True" | "False", reason: string, message: string): ConditionUpdate => ({
  type: "Terminating",
  status,
  reason,
  message,
});

const inProgress = terminating(
  "True",
  "InstanceDeletionInProgress",
  "CustomResource deletion is in progress",
);

export class CrdFinalizer {
  readonly #services: Services;
  readonly #crds: Crds;
  readonly #newSlice: () => Yielding;
  readonly #worker: KeyWorker;
  /** CRDs whose last resources have finalizers of their own, each with a function that stops watching them. */
  readonly #waiting = new Map<string, () => void>();

  constructor(services: Services, crds: Crds, newSlice: () => Yielding) {
    this.#services = services;
    this.#crds = crds;
    this.#newSlice = newSlice;
    this.#worker = new KeyWorker({
      clock: services.clock,
      name: "deletion of CustomResourceDefinitions",
      work: (name) => this.#finalize(name),
    });
  }

  add(name: string): void {
    this.#worker.add(name);
  }

  close(): void {
    this.#worker.close();
    for (const stop of this.#waiting.values()) stop();
    this.#waiting.clear();
  }

  async #finalize(name: string): Promise<void> {
    const found = this.#crds.read(name);
    if (!found || !isFinalizing(found) || this.#waiting.has(name)) return;
    await this.#crds.report(found, { conditions: [inProgress] });
    const crd = this.#crds.read(name);
    if (!crd || !isFinalizing(crd)) return;
    const outcome = await this.#empty(name, crd);
    if (!outcome) return;
    const current = this.#crds.read(name);
    if (!current || !isFinalizing(current)) return;
    const finalizers = current.metadata?.finalizers?.filter((other) => other !== cleanupFinalizer);
    await this.#crds.report(current, { conditions: [outcome], finalizers });
  }

  /** The Terminating condition once no resources are left; undefined while some are. */
  async #empty(name: string, crd: CustomResourceDefinition): Promise<ConditionUpdate | undefined> {
    if (!isTrue(crd, "Established"))
      return terminating("False", "NeverEstablished", "resource was never established");
    try {
      await deleteInstances(this.#services, crd, this.#newSlice());
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const failed = terminating("True", "InstanceDeletionFailed", `could not issue all deletes: ${text}`);
      await this.#crds.report(crd, { conditions: [failed] });
      throw error;
    }
    if (this.#isEmpty(crd)) return terminating("False", "InstanceDeletionCompleted", "removed all instances");
    this.#wait(name, crd);
    return undefined;
  }

  #isEmpty({ spec }: CustomResourceDefinition): boolean {
    return this.#services.storage.count(customTable(spec.group, spec.names.plural), { prefix: "" }) === 0;
  }

  /** Queues the CRD again when its last resource is gone. */
  #wait(name: string, crd: CustomResourceDefinition): void {
    const { storage } = this.#services;
    const { group, names } = crd.spec;
    const stop = storage.subscribe(customTable(group, names.plural), storage.revision, () => {
      if (!this.#isEmpty(crd)) return;
      stop();
      this.#waiting.delete(name);
      this.#worker.add(name);
    });
    this.#waiting.set(name, stop);
  }
}
