// Custom kinds: the registry follows the CustomResourceDefinitions in the store.
import type { CustomResourceDefinition } from "@kubewright/api";
import type { Services } from "../registry/request-context.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { Change } from "../storage/index.js";
import { isTrue, ServedCrd } from "./served-crd.js";
import { crdTable } from "./tables.js";

interface Served {
  readonly crd: ServedCrd;
  readonly kinds: readonly ResourceKind[];
  readonly isTerminating: boolean;
}

export class CustomResources {
  readonly #services: Services;
  readonly #served = new Map<string, Served>();
  readonly #unsubscribe: () => void;

  constructor(services: Services) {
    this.#services = services;
    for (const crd of services.storage.list(crdTable, { prefix: "" }))
      this.#follow(crd as unknown as CustomResourceDefinition);
    this.#unsubscribe = services.storage.subscribe(crdTable, services.storage.revision, (change) =>
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

  #follow(crd: CustomResourceDefinition): void {
    const name = crd.metadata?.name ?? "";
    if (isTrue(crd, "Established")) this.#serve(name, crd);
    else this.#withdraw(name);
  }

  #serve(name: string, crd: CustomResourceDefinition): void {
    const isTerminating = isTrue(crd, "Terminating");
    const before = this.#served.get(name);
    const isSame = before?.crd.serves(crd) === true;
    if (isSame && before.isTerminating === isTerminating) return;
    const served = isSame ? before.crd : new ServedCrd(crd, this.#services);
    this.#replace(name, { crd: served, kinds: served.kinds(isTerminating), isTerminating });
    if (!isSame) before?.crd.stopServing(served);
  }

  #replace(name: string, served: Served): void {
    const { registry } = this.#services;
    for (const kind of this.#served.get(name)?.kinds ?? []) registry.remove(kind);
    // A CRD cannot replace a built-in resource.
    const kinds = served.kinds.filter(({ group, version, plural }) => !registry.find(group, version, plural));
    for (const kind of kinds) registry.add(kind);
    this.#served.set(name, { ...served, kinds });
  }

  #withdraw(name: string): void {
    const served = this.#served.get(name);
    if (!served) return;
    this.#served.delete(name);
    for (const kind of served.kinds) this.#services.registry.remove(kind);
    served.crd.stopServing();
  }
}
