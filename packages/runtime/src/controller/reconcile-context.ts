// What reconcile can do: declare children and status, read, and say what happened.
import {
  apiVersionOf,
  deepEqual,
  type InputOf,
  type KubeObject,
  type ObjectMeta,
  type ObjectOf,
  type ResourceDescriptor,
} from "@kubewright/api";
import type { ApplyInput, Client } from "@kubewright/client";
import type { AnyResource } from "./define-controller.js";

/** The status part of a kind. */
export type StatusOf<Resource> =
  ObjectOf<Resource> extends { readonly status?: infer Status } ? NonNullable<Status> : never;

export interface ReconcileContext<Resource, Kinds> {
  /** Why this key is being worked on. */
  readonly reasons: readonly string[];
  /**
   * Declares a child: it will have these fields, be owned by the object and live in its namespace. Fields not given
   * are other people's. Returns the child as it is now.
   */
  apply<Kind extends Kinds>(kind: Kind, child: ApplyInput<InputOf<Kind>>): Promise<ObjectOf<Kind>>;
  /** Reads an object of a declared kind from the server. */
  get<Kind extends Kinds>(kind: Kind, name: string, namespace?: string): Promise<ObjectOf<Kind>>;
  /** What to say about the object; written after reconcile, and only if it differs. */
  status(status: StatusOf<Resource>): void;
}

interface ContextOptions {
  readonly client: Client;
  readonly resource: AnyResource;
  readonly declared: readonly AnyResource[];
  readonly object: KubeObject;
  readonly reasons: readonly string[];
  readonly fieldManager: string;
}

/** One reconcile's context; `finish` writes the status. */
export class ReconcileRun implements ReconcileContext<unknown, unknown> {
  readonly reasons: readonly string[];
  readonly #options: ContextOptions;
  #status: unknown;

  constructor(options: ContextOptions) {
    this.#options = options;
    this.reasons = options.reasons;
  }

  async apply<Kind>(kind: Kind, child: ApplyInput<InputOf<Kind>>): Promise<ObjectOf<Kind>> {
    const descriptor = this.#declared(kind);
    const { client, fieldManager, object, resource } = this.#options;
    const metadata: ObjectMeta = child.metadata;
    const applied = {
      ...child,
      apiVersion: apiVersionOf(descriptor),
      kind: descriptor.kind,
      metadata: {
        ...metadata,
        ...(descriptor.scope === "Namespaced"
          ? { namespace: metadata.namespace ?? object.metadata?.namespace }
          : {}),
        ownerReferences: [...(metadata.ownerReferences ?? []), ownerReference(resource, object)],
      },
    };
    const result = await client.apply(descriptor as ResourceDescriptor<KubeObject>, applied as never, {
      fieldManager,
      force: true,
    });
    return result as ObjectOf<Kind>;
  }

  async get<Kind>(kind: Kind, name: string, namespace?: string): Promise<ObjectOf<Kind>> {
    const descriptor = this.#declared(kind);
    const { client, object } = this.#options;
    const found = await client.get(descriptor, name, { namespace: namespace ?? object.metadata?.namespace });
    return found as ObjectOf<Kind>;
  }

  status(status: unknown): void {
    this.#status = status;
  }

  /** Writes the status if reconcile gave one and it differs from what is there. */
  async finish(): Promise<void> {
    const { client, object, resource, fieldManager } = this.#options;
    if (this.#status === undefined) return;
    const current = "status" in object ? object.status : undefined;
    if (deepEqual(current, { ...(current as object | undefined), ...(this.#status as object) })) return;
    const { name = "", namespace } = object.metadata ?? {};
    const applied = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { name, namespace },
      status: this.#status,
    };
    await client.apply(resource as ResourceDescriptor<KubeObject>, applied as never, {
      fieldManager,
      force: true,
      subresource: "status",
    });
  }

  /** A controller touches only what it declared: that is what makes derived permissions complete. */
  #declared(kind: unknown): AnyResource {
    const descriptor = this.#options.declared.find((candidate) => candidate === kind);
    if (descriptor) return descriptor;
    const name = (kind as Partial<AnyResource> | undefined)?.kind ?? "this kind";
    throw new Error(`${name} is not declared by this controller: add it to "owns" or "uses"`);
  }
}

function ownerReference(resource: AnyResource, owner: KubeObject) {
  const { name = "", uid = "" } = owner.metadata ?? {};
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}
