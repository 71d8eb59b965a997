// The context an author's code is given: the parts of a reconcile under way, with the types of the kinds asked for.
import type { Duplex } from "node:stream";
import { type KubeObject, type ObjectOf, Pod, type Scale } from "@kubewright/api";
import type { Logger } from "../logging/logger.js";
import type { AnyResource } from "./kinds.js";
import type {
  ApplyOptions,
  ChildInput,
  CreateOptions,
  DeleteOptions,
  DisownOptions,
  EventInput,
  ListOptions,
  NewChildInput,
  ReadOptions,
  ReconcileContext,
  ScaleTarget,
  StatusInput,
  StatusOptions,
  WholeChild,
} from "./reconcile-context.js";
import type { ReconcileRun } from "./reconcile-run.js";

export type AnyContext = ReconcileContext<AnyResource, AnyResource, AnyResource>;

export class RunContext implements AnyContext {
  readonly #reconcile: ReconcileRun;

  constructor(reconcile: ReconcileRun) {
    this.#reconcile = reconcile;
  }

  get reasons(): readonly string[] {
    return this.#reconcile.run.reasons;
  }

  get signal(): AbortSignal {
    return this.#reconcile.run.signal;
  }

  get reconcileID(): string {
    return this.#reconcile.run.reconcileID;
  }

  get log(): Logger {
    return this.#reconcile.run.log;
  }

  now(): number {
    return this.#reconcile.now();
  }

  async apply<Kind extends AnyResource, Child>(
    kind: Kind,
    child: ChildInput<Kind> | WholeChild<Kind, Child>,
    options?: ApplyOptions,
  ): Promise<ObjectOf<Kind>> {
    return ofKind(kind, await this.#reconcile.children.apply(kind, plain(child), options));
  }

  keep<Kind extends AnyResource, Child>(
    kind: Kind,
    child: string | ChildInput<Kind> | WholeChild<Kind, Child>,
  ): void {
    this.#reconcile.children.keep(kind, typeof child === "string" ? child : plain(child));
  }

  adopt<Kind extends AnyResource>(kind: Kind, object: ObjectOf<Kind> & KubeObject): Promise<boolean> {
    return this.#reconcile.children.adopt(kind, object);
  }

  orphan<Kind extends AnyResource>(kind: Kind, object: ObjectOf<Kind> & KubeObject): Promise<void> {
    return this.#reconcile.children.orphan(kind, object);
  }

  async create<Kind extends AnyResource>(
    kind: Kind,
    child: NewChildInput<Kind>,
    options?: CreateOptions,
  ): Promise<ObjectOf<Kind>> {
    return ofKind(kind, await this.#reconcile.children.create(kind, child, options));
  }

  delete<Kind extends AnyResource>(
    kind: Kind,
    target: string | (ObjectOf<Kind> & KubeObject),
    options?: DeleteOptions,
  ): Promise<void> {
    return this.#reconcile.children.delete(kind, target, options);
  }

  disown<Kind extends AnyResource>(kind: Kind, name: string, options?: DisownOptions): Promise<void> {
    return this.#reconcile.children.disown(kind, name, options);
  }

  prune(): Promise<number> {
    return this.#reconcile.children.prune();
  }

  children<Kind extends AnyResource>(kind: Kind): readonly ObjectOf<Kind>[] {
    return allOfKind(kind, this.#reconcile.children.of(kind));
  }

  async get<Kind extends AnyResource>(
    kind: Kind,
    name: string,
    options?: ReadOptions,
  ): Promise<ObjectOf<Kind> | undefined> {
    const object = await this.#reconcile.reader.get(kind, name, options);
    return object && ofKind(kind, object);
  }

  async list<Kind extends AnyResource>(
    kind: Kind,
    options?: ListOptions,
  ): Promise<readonly ObjectOf<Kind>[]> {
    return allOfKind(kind, await this.#reconcile.reader.list(kind, options));
  }

  byIndex<Kind extends AnyResource>(kind: Kind, index: string, value: string): readonly ObjectOf<Kind>[] {
    return allOfKind(kind, this.#reconcile.reader.byIndex(kind, index, value));
  }

  pods(): readonly Pod[] {
    return allOfKind(Pod, this.#reconcile.reader.pods());
  }

  scale(target: ScaleTarget, replicas?: number): Promise<Scale | undefined> {
    return this.#reconcile.reader.scale(target, replicas);
  }

  connect(pod: string, port: number): Promise<Duplex> {
    return this.#reconcile.reader.connect(pod, port);
  }

  requeueAt(time: number | undefined): void {
    this.#reconcile.requeueAt(time);
  }

  status(status: StatusInput<AnyResource>, options?: StatusOptions): void {
    this.#reconcile.status.set(status, options);
  }

  event(event: EventInput): void {
    this.#reconcile.event(event);
  }

  sleep(milliseconds: number): Promise<void> {
    return this.#reconcile.run.sleep(milliseconds);
  }
}

/** Objects that the server and the caches return for a kind are of the kind's type: this is the one cast that says so. */
function ofKind<Kind extends AnyResource>(_kind: Kind, object: KubeObject): ObjectOf<Kind> {
  return object as ObjectOf<Kind>;
}

/** Declared objects may name fields as undefined, which are then not sent. */
function plain<Kind extends AnyResource, Child>(
  child: ChildInput<Kind> | WholeChild<Kind, Child>,
): KubeObject {
  return child as KubeObject;
}

function allOfKind<Kind extends AnyResource>(
  _kind: Kind,
  objects: readonly KubeObject[],
): readonly ObjectOf<Kind>[] {
  return objects as readonly ObjectOf<Kind>[];
}
