// Removes the resources of definitions that are being deleted, and then lets the definitions go.
import type { CustomResourceDefinition } from "@kubewright/api";
import { type ConditionNews, cleanupFinalizer } from "../kinds/apiextensions/conditions.js";
import type { Services } from "../request/context.js";
import { deleteInstances } from "./delete-instances.js";
import { KeyWorker } from "./key-worker.js";
import type { StatusNews } from "./next-status.js";
import { isTrue } from "./served-definition.js";
import { customTable } from "./tables.js";

/** Whether a definition waits for its resources to go. */
export const isFinalizing = ({ metadata }: CustomResourceDefinition): boolean =>
  metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(cleanupFinalizer) === true;

/** How the finalizer reads and writes definitions. */
export interface Definitions {
  read(name: string): CustomResourceDefinition | undefined;
  report(definition: CustomResourceDefinition, news: StatusNews): Promise<void>;
}

const terminating = (status: "True" | "False", reason: string, message: string): ConditionNews => ({
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

export class DefinitionFinalizer {
  readonly #services: Services;
  readonly #definitions: Definitions;
  readonly #worker: KeyWorker;
  /** Definitions whose last resources have finalizers of their own, and how to stop watching those. */
  readonly #waiting = new Map<string, () => void>();

  constructor(services: Services, definitions: Definitions) {
    this.#services = services;
    this.#definitions = definitions;
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
    const found = this.#definitions.read(name);
    if (!found || !isFinalizing(found) || this.#waiting.has(name)) return;
    await this.#definitions.report(found, { conditions: [inProgress] });
    const definition = this.#definitions.read(name);
    if (!definition || !isFinalizing(definition)) return;
    const outcome = await this.#empty(name, definition);
    if (!outcome) return;
    const current = this.#definitions.read(name);
    if (!current || !isFinalizing(current)) return;
    const finalizers = current.metadata?.finalizers?.filter((other) => other !== cleanupFinalizer);
    await this.#definitions.report(current, { conditions: [outcome], finalizers });
  }

  /** What to say when no resources are left; undefined while some are. */
  async #empty(name: string, definition: CustomResourceDefinition): Promise<ConditionNews | undefined> {
    if (!isTrue(definition, "Established"))
      return terminating("False", "NeverEstablished", "resource was never established");
    try {
      await deleteInstances(this.#services, definition);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const failed = terminating("True", "InstanceDeletionFailed", `could not issue all deletes: ${text}`);
      await this.#definitions.report(definition, { conditions: [failed] });
      throw error;
    }
    if (this.#isEmpty(definition))
      return terminating("False", "InstanceDeletionCompleted", "removed all instances");
    this.#wait(name, definition);
    return undefined;
  }

  #isEmpty({ spec }: CustomResourceDefinition): boolean {
    return this.#services.storage.count(customTable(spec.group, spec.names.plural), "") === 0;
  }

  /** Resources that others still work on go when those are done. */
  #wait(name: string, definition: CustomResourceDefinition): void {
    const { storage } = this.#services;
    const { group, names } = definition.spec;
    const stop = storage.subscribe(customTable(group, names.plural), storage.revision, () => {
      if (!this.#isEmpty(definition)) return;
      stop();
      this.#waiting.delete(name);
      this.#worker.add(name);
    });
    this.#waiting.set(name, stop);
  }
}
