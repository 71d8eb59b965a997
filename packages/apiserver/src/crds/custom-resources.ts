// Custom kinds: the registry follows the CustomResourceDefinitions in the store.
import { type CustomResourceDefinition, findCondition } from "@kubewright/api";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { Services } from "../request/context.js";
import type { Change } from "../storage/index.js";
import { customKinds } from "./custom-kind.js";
import { definitionsTable } from "./definition-controller.js";

export class CustomResources {
  readonly #services: Services;
  readonly #served = new Map<string, readonly ResourceKind[]>();
  readonly #unsubscribe: () => void;

  constructor(services: Services) {
    this.#services = services;
    for (const definition of services.storage.list(definitionsTable, { prefix: "" }))
      this.#serve(definition as unknown as CustomResourceDefinition);
    this.#unsubscribe = services.storage.subscribe(definitionsTable, services.storage.revision, (change) =>
      this.#follow(change),
    );
  }

  close(): void {
    this.#unsubscribe();
  }

  #follow(change: Change): void {
    const definition = change.object as unknown as CustomResourceDefinition;
    if (change.type === "put") this.#serve(definition);
    else this.#withdraw(definition.metadata?.name ?? "");
  }

  #serve(definition: CustomResourceDefinition): void {
    const name = definition.metadata?.name ?? "";
    this.#withdraw(name);
    if (findCondition(definition.status?.conditions ?? undefined, "Established")?.status !== "True") return;
    const kinds = customKinds(definition);
    for (const kind of kinds) this.#services.registry.add(kind);
    this.#served.set(name, kinds);
  }

  #withdraw(name: string): void {
    for (const kind of this.#served.get(name) ?? []) this.#services.registry.remove(kind);
    this.#served.delete(name);
  }
}
