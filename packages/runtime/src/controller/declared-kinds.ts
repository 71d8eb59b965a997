// A controller touches only what it declared: that is what makes its derived permissions complete. This is where it is
// held to it at run time.
import type { KubeObject, PolicyRule } from "@kubewright/api";
import type { Informer } from "../informer/informer.js";
import type { ControllerDefinition } from "./define-controller.js";
import { type AnyResource, kindIdentity, type WriteVerb } from "./kinds.js";
import { permitsScaling } from "./scaling.js";

/** A kind a controller declared. */
export interface DeclaredKind {
  readonly resource: AnyResource;
  /** Its objects are children of the reconciled one. */
  readonly isOwned: boolean;
  /** The verbs it may be written with. */
  readonly verbs: ReadonlySet<WriteVerb>;
  /** Its cache, when it is watched. */
  readonly informer: Informer<KubeObject> | undefined;
  /** The name of one of its indexes in that cache, which other controllers share. */
  indexName(index: string): string;
}

/** Finds the cache of a declared kind. */
export type InformerOf = (resource: AnyResource) => Informer<KubeObject> | undefined;

/** The name of a controller's index in a shared cache. */
export function indexName(controller: string, index: string): string {
  return `${controller}: ${index}`;
}

const pastOf = { create: "created", patch: "patched", delete: "deleted" } as const;

export class DeclaredKinds {
  readonly owned: readonly DeclaredKind[];
  readonly #controller: string;
  readonly #rules: readonly PolicyRule[];
  readonly #byIdentity = new Map<string, DeclaredKind>();
  /** The same, found by the very descriptor that was declared. */
  readonly #byDescriptor = new Map<unknown, DeclaredKind>();

  constructor(definition: ControllerDefinition, informerOf: InformerOf) {
    const { name, resource, owns, watches, uses, rbac } = definition;
    this.#controller = name;
    this.#rules = rbac ?? [];
    const declare = (kind: AnyResource, isOwned: boolean, verbs: readonly WriteVerb[]): void => {
      const known = this.#byIdentity.get(kindIdentity(kind));
      const declared = {
        resource: kind,
        isOwned: isOwned || (known?.isOwned ?? false),
        verbs: new Set([...(known?.verbs ?? []), ...verbs]),
        informer: known?.informer ?? informerOf(kind),
        indexName: (index: string) => indexName(name, index),
      };
      this.#byIdentity.set(kindIdentity(kind), declared);
    };
    declare(resource, false, []);
    for (const entry of owns) declare(entry.resource, true, entry.verbs);
    for (const entry of watches) declare(entry.resource, false, []);
    for (const entry of uses) declare(entry.resource, false, entry.verbs);
    this.owned = [...this.#byIdentity.values()].filter(({ isOwned }) => isOwned);
  }

  /** Throws for kinds that were not declared. */
  readable(kind: AnyResource): DeclaredKind {
    return this.#find(kind) ?? this.#refuse(kind, `is not declared: add it to "owns", "watches" or "uses"`);
  }

  /** Throws for kinds that were not declared, only for reading, or without the verb. */
  writable(kind: AnyResource, verb: WriteVerb): DeclaredKind {
    const declared = this.readable(kind);
    const { verbs, isOwned } = declared;
    if (verbs.has(verb)) return declared;
    if (verbs.size === 0)
      return this.#refuse(kind, `is declared for reading only: add it to "owns" or "uses"`);
    const declaration = `${isOwned ? "owned" : "used"}(${kind.kind})`;
    return this.#refuse(kind, `may not be ${pastOf[verb]}: add "${verb}" to the verbs of ${declaration}`);
  }

  /** Throws for kinds that no rule of the controller permits to scale. */
  scalable(kind: AnyResource): AnyResource {
    if (this.#rules.some((rule) => permitsScaling(rule, kind))) return kind;
    return this.#refuse(kind, `may not be scaled: permit ${kind.plural}/scale in "rbac"`);
  }

  #find(kind: AnyResource): DeclaredKind | undefined {
    const known = this.#byDescriptor.get(kind);
    if (known) return known;
    const declared = this.#byIdentity.get(kindIdentity(kind));
    if (declared?.resource === kind) this.#byDescriptor.set(kind, declared);
    return declared;
  }

  #refuse(kind: AnyResource, why: string): never {
    throw new Error(`controller ${this.#controller}: ${kind.kind} ${why}`);
  }
}
