// The controller of CustomResourceDefinitions: accepts names, establishes CRDs, and deletes the custom resources of those being deleted.
// It is part of the API server, as in kube-apiserver: without it no custom resource would be served.

import { type CustomResourceDefinition, formatTime, isConflict, isNotFound } from "@kubewright/api";
import { withCondition } from "@kubewright/kinds";

import type { Services } from "../registry/request-context.js";
import type { InternalCaller } from "../request/internal-caller.js";
import type { Change } from "../storage/index.js";
import { CrdFinalizer, isFinalizing } from "./crd-finalizer.js";
import type { Yielding } from "./delete-instances.js";
import { KeyWorker } from "./key-worker.js";
import { nextStatus, type StatusNews } from "./next-status.js";
import { isTrue } from "./served-crd.js";
import { crdTable } from "./tables.js";

const pathOf = (name: string): string => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;

export class CrdController {
  readonly #services: Services;
  readonly #call: InternalCaller;
  /** One CRD at a time, so that no name is accepted twice. */
  readonly #names: KeyWorker;
  readonly #finalizer: CrdFinalizer;
  readonly #unsubscribe: () => void;

  constructor(services: Services, call: InternalCaller, newSlice: () => Yielding) {
    const { storage, clock } = services;
    this.#services = services;
    this.#call = call;
    this.#names = new KeyWorker({
      clock,
      name: "names of CustomResourceDefinitions",
      work: (name) => this.#advance(name),
    });
    const crds = {
      read: (name: string) => this.#read(name),
      report: (crd: CustomResourceDefinition, news: StatusNews) => this.#report(crd, news),
    };
    this.#finalizer = new CrdFinalizer(services, crds, newSlice);
    for (const crd of this.#all()) this.#touch(crd);
    this.#unsubscribe = storage.subscribe(crdTable, storage.revision, (change) => this.#follow(change));
  }

  close(): void {
    this.#unsubscribe();
    this.#names.close();
    this.#finalizer.close();
  }

  #follow({ type, object, previous }: Change): void {
    const crd = object as unknown as CustomResourceDefinition;
    const before = previous as unknown as CustomResourceDefinition | undefined;
    if (type === "put") this.#touch(crd);
    const isReleasing = type === "delete" || before?.status?.acceptedNames !== crd.status?.acceptedNames;
    if (before && isReleasing) this.#touchRefused(crd.spec.group);
  }

  #touch(crd: CustomResourceDefinition): void {
    const name = crd.metadata?.name ?? "";
    if (isFinalizing(crd)) this.#finalizer.add(name);
    else this.#names.add(name);
  }

  /** Queues the CRDs of a group whose names were not accepted: the names may be free now. */
  #touchRefused(group: string): void {
    for (const crd of this.#all())
      if (crd.spec.group === group && !isTrue(crd, "NamesAccepted")) this.#touch(crd);
  }

  async #advance(name: string): Promise<void> {
    const crd = this.#read(name);
    if (!crd || isFinalizing(crd)) return;
    const news = nextStatus(crd, () => this.#all());
    // Every status update is a change, which queues the CRD again for the next condition.
    if (news) await this.#report(crd, news);
  }

  async #report(crd: CustomResourceDefinition, news: StatusNews): Promise<void> {
    const now = formatTime(this.#services.clock.now());
    const { metadata, status } = crd;
    let conditions = status?.conditions;
    for (const condition of news.conditions) conditions = withCondition(conditions, condition, now);
    const body = {
      ...crd,
      metadata: { ...metadata, finalizers: news.finalizers ?? metadata?.finalizers },
      status: { ...status, acceptedNames: news.acceptedNames ?? status?.acceptedNames, conditions },
    };
    try {
      await this.#call("PUT", `${pathOf(metadata?.name ?? "")}/status`, body);
    } catch (error) {
      // On a conflict the other write queues the CRD again.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  #read(name: string): CustomResourceDefinition | undefined {
    const found = this.#services.storage.get(crdTable, name);
    return found as unknown as CustomResourceDefinition | undefined;
  }

  #all(): Iterable<CustomResourceDefinition> {
    const all = this.#services.storage.list(crdTable, { prefix: "" });
    return [...all] as unknown as CustomResourceDefinition[];
  }
}
