// What the server itself does for CustomResourceDefinitions: grants names, establishes them, and removes the resources of
// those being deleted. Always on: without it no custom kind would be served.
import { type CustomResourceDefinition, formatTime, isConflict, isNotFound } from "@kubewright/api";
import { withCondition } from "../kinds/apiextensions/conditions.js";
import type { Services } from "../request/context.js";
import type { InternalCaller } from "../request/internal-caller.js";
import type { Change } from "../storage/index.js";
import { DefinitionFinalizer, isFinalizing } from "./definition-finalizer.js";
import { KeyWorker } from "./key-worker.js";
import { nextStatus, type StatusNews } from "./next-status.js";
import { isTrue } from "./served-definition.js";
import { definitionsTable } from "./tables.js";

const pathOf = (name: string): string => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;

export class DefinitionController {
  readonly #services: Services;
  readonly #call: InternalCaller;
  /** One at a time, so that no name is granted twice. */
  readonly #names: KeyWorker;
  readonly #finalizer: DefinitionFinalizer;
  readonly #unsubscribe: () => void;

  constructor(services: Services, call: InternalCaller) {
    const { storage, clock } = services;
    this.#services = services;
    this.#call = call;
    this.#names = new KeyWorker({
      clock,
      name: "names of CustomResourceDefinitions",
      work: (name) => this.#advance(name),
    });
    this.#finalizer = new DefinitionFinalizer(services, {
      read: (name) => this.#read(name),
      report: (definition, news) => this.#report(definition, news),
    });
    for (const definition of this.#all()) this.#touch(definition);
    this.#unsubscribe = storage.subscribe(definitionsTable, storage.revision, (change) =>
      this.#follow(change),
    );
  }

  close(): void {
    this.#unsubscribe();
    this.#names.close();
    this.#finalizer.close();
  }

  #follow({ type, object, previous }: Change): void {
    const definition = object as unknown as CustomResourceDefinition;
    const before = previous as unknown as CustomResourceDefinition | undefined;
    if (type === "put") this.#touch(definition);
    const isReleasing =
      type === "delete" || before?.status?.acceptedNames !== definition.status?.acceptedNames;
    if (before && isReleasing) this.#touchRefused(definition.spec.group);
  }

  #touch(definition: CustomResourceDefinition): void {
    const name = definition.metadata?.name ?? "";
    if (isFinalizing(definition)) this.#finalizer.add(name);
    else this.#names.add(name);
  }

  /** Names may have become free for those of the group that did not get theirs. */
  #touchRefused(group: string): void {
    for (const definition of this.#all())
      if (definition.spec.group === group && !isTrue(definition, "NamesAccepted")) this.#touch(definition);
  }

  async #advance(name: string): Promise<void> {
    const definition = this.#read(name);
    if (!definition || isFinalizing(definition)) return;
    const news = nextStatus(definition, () => this.#all());
    // Every report is a change, which brings us here again for the next step.
    if (news) await this.#report(definition, news);
  }

  async #report(definition: CustomResourceDefinition, news: StatusNews): Promise<void> {
    const now = formatTime(this.#services.clock.now());
    const { metadata, status } = definition;
    let conditions = status?.conditions;
    for (const condition of news.conditions) conditions = withCondition(conditions, condition, now);
    const body = {
      ...definition,
      metadata: { ...metadata, finalizers: news.finalizers ?? metadata?.finalizers },
      status: { ...status, acceptedNames: news.acceptedNames ?? status?.acceptedNames, conditions },
    };
    try {
      await this.#call("PUT", `${pathOf(metadata?.name ?? "")}/status`, body);
    } catch (error) {
      // Whoever was faster made a change, and changes bring us here again.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  #read(name: string): CustomResourceDefinition | undefined {
    const found = this.#services.storage.get(definitionsTable, name);
    return found as unknown as CustomResourceDefinition | undefined;
  }

  #all(): Iterable<CustomResourceDefinition> {
    const all = this.#services.storage.list(definitionsTable, { prefix: "" });
    return [...all] as unknown as CustomResourceDefinition[];
  }
}
