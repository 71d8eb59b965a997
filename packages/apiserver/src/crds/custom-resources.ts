// Custom kinds: the registry follows the CustomResourceDefinitions in the store.
import type { CustomResourceDefinition } from "@kubewright/api";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { Services } from "../request/context.js";
import type { Change } from "../storage/index.js";
import { isTrue, ServedDefinition } from "./served-definition.js";
import { definitionsTable } from "./tables.js";

interface Served {
  readonly definition: ServedDefinition;
  readonly kinds: readonly ResourceKind[];
  readonly isTerminating: boolean;
}

export class CustomResources {
  readonly #services: Services;
  readonly #served = new Map<string, Served>();
  readonly #unsubscribe: () => void;

  constructor(services: Services) {
    this.#services = services;
    for (const definition of services.storage.list(definitionsTable, { prefix: "" }))
      this.#follow(definition as unknown as CustomResourceDefinition);
    this.#unsubscribe = services.storage.subscribe(definitionsTable, services.storage.revision, (change) =>
      this.#change(change),
    );
  }

  close(): void {
    this.#unsubscribe();
  }

  #change({ type, key, object }: Change): void {
    if (type === "put") this.#follow(object as unknown as CustomResourceDefinition);
    else this.#withdraw(key);
  }

  #follow(definition: CustomResourceDefinition): void {
    const name = definition.metadata?.name ?? "";
    if (isTrue(definition, "Established")) this.#serve(name, definition);
    else this.#withdraw(name);
  }

  #serve(name: string, definition: CustomResourceDefinition): void {
    const isTerminating = isTrue(definition, "Terminating");
    const before = this.#served.get(name);
    const isSame = before?.definition.serves(definition) === true;
    if (isSame && before.isTerminating === isTerminating) return;
    const served = isSame ? before.definition : new ServedDefinition(definition, this.#services);
    this.#replace(name, { definition: served, kinds: served.kinds(isTerminating), isTerminating });
    if (!isSame) before?.definition.retire(served);
  }

  #replace(name: string, served: Served): void {
    const { registry } = this.#services;
    for (const kind of this.#served.get(name)?.kinds ?? []) registry.remove(kind);
    // What the server is built with cannot be replaced.
    const kinds = served.kinds.filter(({ group, version, plural }) => !registry.find(group, version, plural));
    for (const kind of kinds) registry.add(kind);
    this.#served.set(name, { ...served, kinds });
  }

  #withdraw(name: string): void {
    const served = this.#served.get(name);
    if (!served) return;
    this.#served.delete(name);
    for (const kind of served.kinds) this.#services.registry.remove(kind);
    served.definition.retire();
  }
}
