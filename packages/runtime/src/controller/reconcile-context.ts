// The context of a reconcile: declares children and status, reads objects, and records events.
import type { Duplex } from "node:stream";
import type {
  ConditionUpdate,
  InputOf,
  KubeObject,
  LabelSelector,
  ObjectOf,
  Pod,
  Scale,
} from "@kubewright/api";
import type { ApplyInput, PropagationPolicy, WholeObject } from "@kubewright/client";
import type { Logger } from "../logging/logger.js";
import type { AnyResource, ReadableKind, WritableKind } from "./kinds.js";

/** The status part of a kind. */
export type StatusOf<Resource> =
  ObjectOf<Resource> extends { readonly status?: infer Status } ? NonNullable<Status> : never;

/**
 * The status update of a reconcile: the fields named are set, those named as `undefined` are cleared, all others stay.
 * Conditions are merged by type; times of transition are kept and filled in.
 */
export type StatusInput<Resource> = keyof ObjectOf<Resource> extends keyof KubeObject
  ? Readonly<Record<string, unknown>> // Nothing is known of the kind.
  : StatusFields<StatusOf<Resource>>;

type StatusFields<Status> = {
  readonly [Field in keyof Status]?:
    | (Field extends "conditions" ? readonly ConditionUpdate[] : Status[Field])
    | undefined;
};

/** Where an object is, and whether it is read from the cache or from the server. */
export interface ReadOptions {
  /** Default: that of the reconciled object. */
  readonly namespace?: string | undefined;
  /** Asks the server even where there is a cache. */
  readonly live?: boolean | undefined;
}

/** Which objects are listed, from the cache or from the server. */
export interface ListOptions {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | LabelSelector | undefined;
  /** Asks the server even where there is a cache. */
  readonly live?: boolean | undefined;
}

/** Something with a scale subresource, of a kind that need not be known before. */
export interface ScaleTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** How a child with a generated name is created: the word under which there is only one. */
export interface CreateOptions {
  /**
   * A word for what the child is made for. Under one word an object has one child, however often this is called and
   * whatever answers are lost: its name is its generateName and what follows from the owner and the word.
   */
  readonly once?: string | undefined;
}

/** Where an object is deleted, and what becomes of its dependents. */
export interface DeleteOptions {
  /** Default: that of the reconciled object. */
  readonly namespace?: string | undefined;
  readonly propagationPolicy?: PropagationPolicy | undefined;
}

/** Options of giving up managed fields of an object. */
export interface DisownOptions {
  /** Default: that of the reconciled object. */
  readonly namespace?: string | undefined;
  /** Annotations of the controller that go in the same write. */
  readonly annotations?: readonly string[] | undefined;
}

/** Something a person would want to know. Repeated, it becomes one event with a count. */
export interface EventInput {
  /** Default: `Normal`. */
  readonly type?: "Normal" | "Warning" | undefined;
  /** One word in CamelCase, for programs. */
  readonly reason: string;
  /** A sentence, for people. */
  readonly note: string;
  /** The action that was taken. Default: the reason. */
  readonly action?: string | undefined;
  /** Another object that has to do with it. */
  readonly related?: KubeObject | undefined;
}

/** The argument of `apply` and `create`: the child without the fields that follow from its owner. */
export type ChildInput<Kind> = ApplyInput<InputOf<Kind>>;

/** A child of the kind's own type, as `function deploymentFor(site: Site): Deployment` returns it. */
export type WholeChild<Kind, Child> = WholeObject<Child, ObjectOf<Kind> | InputOf<Kind>>;

/** When a status is written: at once, or merged with others that follow shortly. */
export interface StatusOptions {
  /**
   * The debounce of the fields named, in milliseconds, so that several changes become one write: for counts
   * that move while a rollout is under way. They are written at once with anything that cannot wait.
   */
  readonly debounce?: number | undefined;
}

/** How a child is applied: whether an object that is there is adopted, and which fields are left to other managers. */
export interface ApplyOptions {
  /**
   * Adopts an existing object of that name that has no controller. Default: true. `"orphans"` takes back only what was
   * a child before, as after `kubectl delete --cascade=orphan` or a restore: an object that this manager has applied, with the
   * labels it applies. What is not adopted is left alone, and the apply fails with a ForeignChildError, as it always does for
   * what somebody else controls.
   */
  readonly adopt?: boolean | "orphans" | undefined;
  /**
   * Fields that others may take over: set when the child is made, left alone once somebody else has changed them. Paths of
   * names such as `spec.replicas`, which autoscalers set.
   */
  readonly yields?: readonly string[] | undefined;
}

/** A child whose name may be left to the server: `metadata.generateName`. */
export type NewChildInput<Kind> = InputOf<Kind>;

/**
 * Given to reconcile. `Readable` and `Writable` are the kinds the controller declared; others are a type error, and an
 * error at run time.
 */
export interface ReconcileContext<Resource, Readable, Writable> {
  /** Why this key is being worked on. */
  readonly reasons: readonly string[];
  /** Ends when the reconcile has taken too long, when leadership is lost, and when the manager stops. Hand it to what waits. */
  readonly signal: AbortSignal;
  /** Names this reconcile in logs. */
  readonly reconcileID: string;
  /** Adds controller, namespace, name and reconcileID. */
  readonly log: Logger;
  /** The time of day, in milliseconds since 1970, on the manager's clock. */
  now(): number;

  /**
   * Declares a child: it will have these fields and live in the object's namespace; an owned kind gets the object as its
   * controller. Fields not given are other people's, fields no longer given are removed. Nothing is sent when nothing
   * would change. Returns the child as it is now.
   */
  apply<Kind extends AnyResource, Child>(
    kind: WritableKind<Kind, Writable>,
    child: ChildInput<Kind> | WholeChild<Kind, Child>,
    options?: ApplyOptions,
  ): Promise<ObjectOf<Kind>>;
  /** Lets a child that was declared earlier stay as it is: `prune` will not delete it. */
  keep<Kind extends AnyResource, Child>(
    kind: WritableKind<Kind, Writable>,
    child: string | ChildInput<Kind> | WholeChild<Kind, Child>,
  ): void;
  /**
   * Adopts an object of an owned kind, if it has no controller; returns whether it is one now. For children found by
   * their labels: what is applied by name is adopted by that.
   */
  adopt<Kind extends AnyResource>(
    kind: WritableKind<Kind, Writable>,
    object: ObjectOf<Kind> & KubeObject,
  ): Promise<boolean>;
  /** Releases a child: it stays, without a controller. */
  orphan<Kind extends AnyResource>(
    kind: WritableKind<Kind, Writable>,
    object: ObjectOf<Kind> & KubeObject,
  ): Promise<void>;
  /**
   * Creates a child. Prefer `apply`: this is for generated names, and for what must not exist yet. Once answered, the child
   * is among `children` at once; an answer that is lost is what `once` is for.
   */
  create<Kind extends AnyResource>(
    kind: WritableKind<Kind, Writable>,
    child: NewChildInput<Kind>,
    options?: CreateOptions,
  ): Promise<ObjectOf<Kind>>;
  /** Deletes an object; one that is gone already is fine. Given the object itself, only that very one. */
  delete<Kind extends AnyResource>(
    kind: WritableKind<Kind, Writable>,
    target: string | (ObjectOf<Kind> & KubeObject),
    options?: DeleteOptions,
  ): Promise<void>;
  /**
   * Gives up the managed fields this controller has on an object that is not its child, and leaves their values. For fields
   * that were set for a time and are their owner's again: a server-side apply of the object has no conflict with them then.
   */
  disown<Kind extends AnyResource>(
    kind: WritableKind<Kind, Writable>,
    name: string,
    options?: DisownOptions,
  ): Promise<void>;
  /** Deletes children of owned kinds that this reconcile did not declare. Call it last. Returns how many. */
  prune(): Promise<number>;

  /** Reads an object: from the cache of a watched kind, else from the server. Undefined when there is none. */
  get<Kind extends AnyResource>(
    kind: ReadableKind<Kind, Readable>,
    name: string,
    options?: ReadOptions,
  ): Promise<ObjectOf<Kind> | undefined>;
  /** Reads objects: from the cache of a watched kind, else from the server. */
  list<Kind extends AnyResource>(
    kind: ReadableKind<Kind, Readable>,
    options?: ListOptions,
  ): Promise<readonly ObjectOf<Kind>[]>;
  /** The pods of the object that `watchPods` watches, from the cache. */
  pods(): readonly Pod[];
  /** Reads from an index of a watched kind. */
  byIndex<Kind extends AnyResource>(
    kind: ReadableKind<Kind, Readable>,
    index: string,
    value: string,
  ): readonly ObjectOf<Kind>[];
  /** The cached children of an owned kind. */
  children<Kind extends AnyResource>(kind: WritableKind<Kind, Writable>): readonly ObjectOf<Kind>[];

  /**
   * Reads, or with `replicas` sets, the desired replicas of an object in the same namespace. The kind is looked up on the
   * server; `rbac` of the controller must permit its scale subresource. Undefined when there is no such object; throws a
   * TerminalError for a kind that is not there or cannot be scaled.
   */
  scale(target: ScaleTarget, replicas?: number): Promise<Scale | undefined>;

  /**
   * Opens a connection to a port of a pod in the same namespace through the API server, as `kubectl port-forward` does: for
   * operators outside the cluster, which reach no pod's address. The stream may outlive the reconcile; the caller closes it.
   * `rbac` must permit `pods/portforward`.
   */
  connect(pod: string, port: number): Promise<Duplex>;

  /**
   * States when the object is due next, in milliseconds since 1970, as early as that is known. Reconcile is then called no
   * later than at that time, also when it throws before its end: backoff never outlasts the due time. Called again, it
   * replaces the earlier time; a `requeueAt` or `requeueAfter` that reconcile returns replaces it too. A time that has passed
   * states nothing.
   */
  requeueAt(time: number | undefined): void;

  /** Says something of the object. Written once, after reconcile, also when it fails, and only if it differs. */
  status(status: StatusInput<Resource>, options?: StatusOptions): void;
  /** Records an Event about the object. */
  event(event: EventInput): void;
  /** Waits; ends early, by throwing, when the signal does. */
  sleep(milliseconds: number): Promise<void>;
}
