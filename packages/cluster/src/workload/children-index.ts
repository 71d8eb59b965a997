// Finds the children of an owner, and those without one, without looking through a whole namespace.
import { getControllerOf, type KubeObject } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";

const controllerIndex = "kubewright.controller";

/** One function for all: the caches are shared, and an index is known by its function. */
function controllerOf(object: KubeObject): readonly string[] {
  return [getControllerOf(object)?.uid ?? `none in ${object.metadata?.namespace ?? ""}`];
}

/** The objects an owner controls, and those nobody controls in its namespace. */
export class ChildrenIndex<T extends KubeObject> {
  readonly #store: StoreReader<T>;

  constructor(store: StoreReader<T>) {
    this.#store = store;
    store.addIndex(controllerIndex, controllerOf);
  }

  of(owner: KubeObject): readonly T[] {
    return this.#store.byIndex(controllerIndex, owner.metadata?.uid ?? "");
  }

  without(namespace: string): readonly T[] {
    return this.#store.byIndex(controllerIndex, `none in ${namespace}`);
  }

  candidates(owner: KubeObject): readonly T[] {
    return [...this.of(owner), ...this.without(owner.metadata?.namespace ?? "")];
  }
}
