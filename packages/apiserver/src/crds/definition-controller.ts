// What the server itself does for CustomResourceDefinitions: grants names, establishes them, and removes the resources of
// those being deleted. Always on: without it no custom kind would be served.
import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionCondition,
  deepEqual,
  findCondition,
  formatTime,
} from "@kubewright/api";
import type { Services } from "../request/context.js";
import type { InternalCaller } from "../request/internal-caller.js";
import { decideNames, namesTaken } from "./naming.js";

export const definitionsTable = "apiextensions.k8s.io/customresourcedefinitions";
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

const pathOf = (name: string): string => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;

export class DefinitionController {
  readonly #services: Services;
  readonly #call: InternalCaller;
  readonly #unsubscribe: () => void;
  /** One definition is worked on once at a time; a change meanwhile means: again. */
  readonly #working = new Map<string, "once" | "again">();

  constructor(services: Services, call: InternalCaller) {
    this.#services = services;
    this.#call = call;
    for (const { metadata } of services.storage.list(definitionsTable, { prefix: "" }))
      this.#touch(metadata.name);
    this.#unsubscribe = services.storage.subscribe(
      definitionsTable,
      services.storage.revision,
      ({ key, type }) => {
        if (type === "put") this.#touch(key);
        else
          for (const { metadata } of services.storage.list(definitionsTable, { prefix: "" }))
            this.#touch(metadata.name);
      },
    );
  }

  close(): void {
    this.#unsubscribe();
  }

  #touch(name: string): void {
    if (this.#working.has(name)) {
      this.#working.set(name, "again");
      return;
    }
    this.#working.set(name, "once");
    const done = this.#services.clock.busy(`CustomResourceDefinition ${name}`);
    void this.#work(name).then(done, done);
  }

  async #work(name: string): Promise<void> {
    // Let the write that brought us here be answered first.
    await Promise.resolve();
    do {
      this.#working.set(name, "once");
      await this.#sync(name);
    } while (this.#working.get(name) === "again");
    this.#working.delete(name);
  }

  async #sync(name: string): Promise<void> {
    const definition = this.#read(name);
    if (!definition) return;
    if (definition.metadata?.deletionTimestamp) await this.#finalize(name, definition);
    else await this.#name(name, definition);
  }

  async #name(name: string, definition: CustomResourceDefinition): Promise<void> {
    const others = [
      ...this.#services.storage.list(definitionsTable, { prefix: "" }),
    ] as unknown as CustomResourceDefinition[];
    const { acceptedNames, conditions } = decideNames(definition, namesTaken(definition, others));
    const status = {
      ...definition.status,
      acceptedNames,
      conditions: withTimes(conditions, definition, formatTime(this.#services.clock.now())),
      storedVersions: definition.status?.storedVersions ?? [],
    };
    if (!deepEqual(status, definition.status))
      await this.#call("PUT", `${pathOf(name)}/status`, { ...definition, status });
  }

  async #finalize(name: string, definition: CustomResourceDefinition): Promise<void> {
    if (!definition.metadata?.finalizers?.includes(cleanupFinalizer)) return;
    const { group, names } = definition.spec;
    const { storage } = this.#services;
    const table = `${group}/${names.plural}`;
    const [version] = definition.spec.versions.filter(({ served }) => served);
    if (version) {
      for (const { metadata } of [...storage.list(table, { prefix: "" })]) {
        const base = `/apis/${group}/${version.name}`;
        const place = metadata.namespace ? `${base}/namespaces/${metadata.namespace}` : base;
        await this.#call("DELETE", `${place}/${names.plural}/${metadata.name}`);
      }
    }
    if (storage.count(table, "") > 0) return;
    const finalizers = definition.metadata.finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
    await this.#call("PUT", pathOf(name), {
      ...definition,
      metadata: { ...definition.metadata, finalizers },
    });
  }

  #read(name: string): CustomResourceDefinition | undefined {
    return this.#services.storage.get(definitionsTable, name) as unknown as
      | CustomResourceDefinition
      | undefined;
  }
}

/** Conditions keep the time of their last transition. */
function withTimes(
  conditions: ReturnType<typeof decideNames>["conditions"],
  definition: CustomResourceDefinition,
  now: string,
): CustomResourceDefinitionCondition[] {
  const known = definition.status?.conditions;
  const next = conditions.map((condition) => {
    const before = findCondition(known, condition.type);
    const time = before?.status === condition.status ? before.lastTransitionTime : now;
    return { ...condition, ...(time ? { lastTransitionTime: time } : {}) };
  });
  const others = (known ?? []).filter(({ type }) => !conditions.some((condition) => condition.type === type));
  return [...next, ...others];
}
