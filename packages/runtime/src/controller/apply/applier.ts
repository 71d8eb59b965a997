// Declares objects by server-side apply, and only where that would change something.
import {
  apiVersionOf,
  type Clock,
  isObject,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
} from "@kubewright/api";
import type { CachedClient } from "../../informer/cached-client.js";
import { keyOf } from "../../informer/object-key.js";
import type { OwnedFields } from "../../informer/own-fields.js";
import type { DeclaredKind } from "../declared-kinds.js";
import { type AnyResource, kindIdentity } from "../kinds.js";
import type { Run } from "../run.js";
import { sameMeaningOf } from "./canonical-form.js";

import { DeclaredMemory } from "./declared-memory.js";
import { compareFields, type Difference, type SameMeaning } from "./field-comparison.js";
import { type FieldConflict, FieldConflicts } from "./field-conflicts.js";
import { otherManagers } from "./managers.js";
import { SettledMemory } from "./settled-memory.js";
import { yieldFields } from "./yielded-fields.js";

export interface ApplierOptions {
  readonly client: CachedClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly fieldManager: string;
}

/** Sends the requests of a reconcile. */
export type Requester = Pick<Run, "read" | "write">;

/** The outcome of a declared object. */
export interface Applied {
  readonly object: KubeObject;
  readonly outcome: "applied" | "unchanged" | "conflicting";
  readonly conflict: FieldConflict | undefined;
  /** The operation of the apply; undefined when it changed nothing. */
  readonly change?: Change | undefined;
}

/** `recreated` and `corrected`: somebody had deleted or changed what was declared before. */
export type Change =
  | { readonly kind: "created" | "recreated" | "updated" }
  | { readonly kind: "corrected"; readonly path: string };

export class Applier {
  readonly #options: ApplierOptions;
  readonly #settled = new SettledMemory();
  readonly #declared = new DeclaredMemory();
  readonly #conflicts: FieldConflicts;
  readonly #meanings = new Map<string, SameMeaning>();

  constructor(options: ApplierOptions) {
    this.#options = options;
    this.#conflicts = new FieldConflicts(options.clock, options.random);
  }

  /** Applies an object unless it is known that nothing would change. `live` is its cached state, if it has one. */
  async apply(
    kind: DeclaredKind,
    wanted: KubeObject,
    live: KubeObject | undefined,
    run: Requester,
    yields: readonly string[] = [],
  ): Promise<Applied> {
    if (!live) return this.#send(kind, wanted, run, { live });
    const declared =
      yields.length === 0 ? wanted : yieldFields(wanted, live, this.#own(kind, live)?.fields, yields);
    const differences = this.#differences(kind, declared, live);
    const [first] = differences;
    if (!first || this.#settled.isSettled(live, declared, differences))
      return { object: live, outcome: "unchanged", conflict: undefined };
    const { uid = "" } = live.metadata ?? {};
    const text = JSON.stringify(declared);
    const holding = this.#conflicts.holding(uid, text);
    if (holding) return { object: live, outcome: "conflicting", conflict: holding };
    const times = this.#conflicts.count(uid, text);
    const conflict = times > 0 ? await this.#conflict(kind, live, times, first, run) : undefined;
    return this.#send(kind, declared, run, { live, path: first.path, conflict }).catch((error: unknown) => {
      this.#conflicts.retract(uid);
      throw error;
    });
  }

  /** Reads the other managers of the field before it is taken back from them. */
  async #conflict(
    { resource }: DeclaredKind,
    { metadata = {} }: KubeObject,
    times: number,
    { path, place }: Difference,
    run: Requester,
  ): Promise<FieldConflict> {
    const { client, fieldManager } = this.#options;
    const { name = "", namespace, uid = "" } = metadata;
    const now = await run
      .read((bounds) => client.live.get(resource, name, { ...bounds, namespace }))
      .catch(() => undefined);
    const managers = otherManagers(now?.metadata?.managedFields ?? [], fieldManager, place);
    const child = `${resource.kind} ${keyOf(name, namespace)}`;
    return this.#conflicts.declare(uid, times, { child, path, managers });
  }

  async #send(kind: DeclaredKind, declared: KubeObject, run: Requester, before: Before): Promise<Applied> {
    const { client, fieldManager } = this.#options;
    const { name = "", namespace } = declared.metadata ?? {};
    // An apply creates what is absent; with a uid it changes that very object or is a conflict.
    const uid = kind.verbs.has("create") ? undefined : before.live?.metadata?.uid;
    const body = { ...declared, metadata: { ...declared.metadata, name, namespace, uid } };
    const object = await run.write((bounds) =>
      client.apply(kind.resource, body, { ...bounds, fieldManager, force: true }),
    );
    const own = ownEntry(object.metadata?.managedFields, fieldManager, kind.resource);
    if (own) this.#settled.remember(object, declared, this.#compare(kind.resource, own, declared, object));
    const change = this.#change(childOf(kind.resource, declared), declared, object, before);
    return { object, outcome: "applied", conflict: before.conflict, change };
  }

  /** The operation of an apply, by the object and the declaration before it. */
  #change(child: string, declared: KubeObject, object: KubeObject, before: Before): Change | undefined {
    const { live, path = "" } = before;
    if (live && live.metadata?.resourceVersion === object.metadata?.resourceVersion) return undefined;
    const text = JSON.stringify(declared);
    const isSame = this.#declared.isSame(child, text) ?? false;
    this.#declared.remember(child, text);
    if (live) return isSame ? { kind: "corrected", path } : { kind: "updated" };
    // Not in the cache, yet known to others: the cache does not show every object of the kind.
    const isNew = (object.metadata?.managedFields ?? []).every(
      ({ manager }) => manager === this.#options.fieldManager,
    );
    return { kind: isNew ? (isSame ? "recreated" : "created") : "updated" };
  }

  /** The child was deleted on purpose. */
  forget(resource: AnyResource, metadata: ObjectMeta): void {
    this.#declared.forget(childOf(resource, { metadata }));
  }

  #differences(kind: DeclaredKind, declared: KubeObject, live: KubeObject) {
    const own = this.#own(kind, live);
    return own ? this.#compare(kind.resource, own.fields, declared, live) : notOurs;
  }

  /** Our managed fields of an object, if they are known in the API version we write. */
  #own({ resource, informer }: DeclaredKind, live: KubeObject): OwnedFields | undefined {
    const owned = informer?.ownFields(live).filter(({ subresource }) => subresource === "") ?? [];
    const [own] = owned;
    return owned.length === 1 && own?.apiVersion === apiVersionOf(resource) ? own : undefined;
  }

  #compare(resource: AnyResource, own: OwnedFields["fields"], declared: KubeObject, live: KubeObject) {
    if (!isObject(declared) || !isObject(live)) return notOurs;
    return compareFields(own, declared, live, this.#meaningOf(resource));
  }

  #meaningOf(resource: AnyResource): SameMeaning {
    const identity = kindIdentity(resource);
    let meaning = this.#meanings.get(identity);
    if (!meaning) {
      meaning = sameMeaningOf(resource);
      this.#meanings.set(identity, meaning);
    }
    return meaning;
  }
}

/** The object and our declaration before an apply. */
interface Before {
  readonly live: KubeObject | undefined;
  /** The first field that differed. */
  readonly path?: string | undefined;
  readonly conflict?: FieldConflict | undefined;
}

function childOf(resource: AnyResource, { metadata = {} }: KubeObject): string {
  return `${kindIdentity(resource)} ${keyOf(metadata.name ?? "", metadata.namespace)}`;
}

/** Nothing is known of what we own, or it is named in another version. */
const notOurs: readonly Difference[] = [
  { path: "", place: [], kind: "ownership", declared: undefined, live: undefined },
];

function ownEntry(
  entries: readonly ManagedFieldsEntry[] | undefined,
  fieldManager: string,
  resource: AnyResource,
): OwnedFields["fields"] | undefined {
  return entries?.find(
    ({ manager, operation, subresource, apiVersion }) =>
      manager === fieldManager &&
      operation === "Apply" &&
      !subresource &&
      apiVersion === apiVersionOf(resource),
  )?.fieldsV1;
}
