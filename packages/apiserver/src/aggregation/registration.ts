// APIServices for all that is served here: those of built-in groups are made at the start, those of custom groups come and go with
// their CRDs. What others made under these names is left alone.

import {
  type CustomResourceDefinition,
  deepEqual,
  formatTime,
  type GroupVersion,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type ObjectMeta,
} from "@kubewright/api";
import { localAvailability, type StoredObject, withAvailability } from "@kubewright/kinds";
import { createMissing } from "../bootstrap/create-missing.js";
import { KeyWorker } from "../crds/key-worker.js";
import { crdTable } from "../crds/tables.js";

import type { Services } from "../registry/request-context.js";
import type { InternalCaller } from "../request/internal-caller.js";
import {
  apiServiceName,
  apiServicePath,
  apiServicesPath,
  apiServicesTable,
  readApiService,
} from "./api-services.js";
import { type ApiPriority, builtInPriority, customPriority } from "./built-in-priorities.js";

const managedLabel = "kube-aggregator.kubernetes.io/automanaged";

/** Made once, when the server starts. */
export function registerBuiltIn(services: Pick<Services, "storage" | "clock" | "newUid" | "registry">): void {
  const now = formatTime(services.clock.now());
  for (const { group, version } of services.registry.groupVersions()) {
    const priority = builtInPriority({ group, version });
    if (!priority) continue;
    createMissing(services, apiServicesTable, {
      ...registered({ group, version }, priority, "onstart"),
      status: { conditions: withAvailability([], localAvailability, now) },
    });
  }
}

function registered({ group, version }: GroupVersion, priority: ApiPriority, label: "onstart" | "true") {
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: apiServiceName({ group, version }), labels: { [managedLabel]: label } },
    spec: {
      ...(group === "" ? {} : { group }),
      version,
      groupPriorityMinimum: priority.group,
      versionPriority: priority.version,
    },
  };
}

/** Keeps an APIService for every served version of a CRD. */
export class CustomRegistration {
  readonly #services: Services;
  readonly #call: InternalCaller;
  readonly #worker: KeyWorker;
  readonly #unsubscribe: readonly (() => void)[];
  /** By the name of their APIService: what is served, and by which CRDs. */
  readonly #served = new Map<string, { readonly gv: GroupVersion; readonly by: Set<string> }>();

  constructor(services: Services, call: InternalCaller) {
    this.#services = services;
    this.#call = call;
    const { storage, clock } = services;
    this.#worker = new KeyWorker({ clock, name: "APIServices", work: (name) => this.#sync(name) });
    for (const definition of storage.list(crdTable, { prefix: "" })) this.#follow(undefined, definition);
    // APIServices whose CRD was deleted while the server was not running.
    for (const { metadata } of storage.list(apiServicesTable, { prefix: "" }))
      if (isManaged(metadata)) this.#worker.add(metadata.name);
    this.#unsubscribe = [
      storage.subscribe(crdTable, storage.revision, ({ type, object, previous }) => {
        this.#follow(previous, type === "put" ? object : undefined);
      }),
      storage.subscribe(apiServicesTable, storage.revision, ({ key }) => {
        if (this.#served.has(key)) this.#worker.add(key);
      }),
    ];
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#worker.close();
  }

  #follow(before: StoredObject | undefined, after: StoredObject | undefined): void {
    // Most changes are reports of the server's own.
    if (before && after && before["spec"] === after["spec"]) return;
    const name = (after ?? before)?.metadata.name ?? "";
    for (const gv of versionsOf(before)) {
      const served = this.#served.get(apiServiceName(gv));
      served?.by.delete(name);
      if (served?.by.size === 0) this.#served.delete(apiServiceName(gv));
      this.#worker.add(apiServiceName(gv));
    }
    for (const gv of versionsOf(after)) {
      const id = apiServiceName(gv);
      const served = this.#served.get(id) ?? { gv, by: new Set() };
      served.by.add(name);
      this.#served.set(id, served);
      this.#worker.add(id);
    }
  }

  async #sync(name: string): Promise<void> {
    const gv = this.#served.get(name)?.gv;
    const wanted = gv && registered(gv, customPriority, "true");
    const found = readApiService(this.#services.storage, name);
    if (!found && wanted) return this.#write("POST", apiServicesPath, wanted);
    if (!found || !isManaged(found.metadata)) return;
    if (!wanted) return this.#write("DELETE", apiServicePath(name));
    if (!deepEqual(found.spec, wanted.spec))
      await this.#write("PUT", apiServicePath(name), { ...found, spec: wanted.spec });
  }

  async #write(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<void> {
    try {
      await this.#call(method, path, body);
    } catch (error) {
      // The other writer's change requeues the APIService.
      if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
    }
  }
}

const isManaged = (metadata: ObjectMeta | undefined): boolean => metadata?.labels?.[managedLabel] === "true";

/** Custom groups only: a CRD in a built-in one changes nothing about who serves it. */
function versionsOf(definition: StoredObject | undefined): GroupVersion[] {
  if (!definition) return [];
  const { group, versions } = (definition as unknown as CustomResourceDefinition).spec;
  return versions
    .filter(({ name, served }) => served && !builtInPriority({ group, version: name }))
    .map(({ name }) => ({ group, version: name }));
}
