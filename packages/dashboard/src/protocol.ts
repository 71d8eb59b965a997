// The messages between the page and its server: JSON texts over one WebSocket. The page says who it is, subscribes to topics and makes
// calls; the server sends updates of what was subscribed to, and one answer for each call. Types only: both sides import this file.
import type { FaultInput, SnapshotInfo } from "@kubewright/cluster";
import type { WaitReason } from "@kubewright/runtime";

export type { SnapshotInfo };

/** A resource by its names; the version is the one the server prefers. */
export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** One object, wherever it is. */
export interface ObjectName extends ResourceName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export type FromPage =
  | { readonly kind: "hello"; readonly token: string }
  | { readonly kind: "subscribe"; readonly id: number; readonly topic: Topic }
  | { readonly kind: "unsubscribe"; readonly id: number }
  | { readonly kind: "call"; readonly id: number; readonly call: Call };

export type FromServer =
  | { readonly kind: "welcome"; readonly about: About }
  /** The token is wrong, or no longer good; the connection ends. Where people sign in, the page asks for another. */
  | { readonly kind: "refused"; readonly message: string; readonly signsIn: boolean }
  | { readonly kind: "update"; readonly id: number; readonly update: unknown }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  /** A call failed, or a subscription cannot be served. */
  | { readonly kind: "failure"; readonly id: number; readonly failure: Failure };

export interface Failure {
  readonly message: string;
  /** As in a Status of the API server: `Forbidden`, `Conflict`, … */
  readonly reason?: string | undefined;
}

/** What the page needs to know before it shows anything. */
export interface About {
  readonly server: string;
  readonly version: string;
  /** What can be done to the cluster beyond the API; a control that is not there is not shown. */
  readonly controls: readonly ControlName[];
}

export type Topic =
  | { readonly topic: "kinds" }
  | { readonly topic: "objects" }
  | { readonly topic: "table"; readonly resource: ResourceName; readonly namespace?: string | undefined }
  | { readonly topic: "object"; readonly object: ObjectName }
  | { readonly topic: "managers" }
  | { readonly topic: "reconciles" };

/** The update of each topic. */
export interface Updates {
  readonly kinds: KindsUpdate;
  readonly objects: ObjectsUpdate;
  readonly table: TableUpdate;
  readonly object: ObjectUpdate;
  readonly managers: ManagersUpdate;
  readonly reconciles: ReconcilesUpdate;
}

/** A kind that can be listed and watched. */
export interface KindInfo extends ResourceName {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly custom: boolean;
  readonly verbs: readonly string[];
}

export interface KindsUpdate {
  readonly kinds: readonly KindInfo[];
}

export type HealthState = "ready" | "progressing" | "failed" | "terminating";

/** What lists and graphs show of an object. */
export interface ObjectSummary extends ObjectName {
  readonly uid: string;
  readonly kind: string;
  readonly custom: boolean;
  readonly health: HealthState;
  /** Why it is not ready. */
  readonly message?: string | undefined;
  /** RFC 3339. */
  readonly created?: string | undefined;
  /** uids of its owners, its controller first. */
  readonly owners: readonly string[];
  /** What it refers to by name: `kind/namespace/name`. */
  readonly references: readonly string[];
  /** The next time a schedule of the object is due, as its status says; RFC 3339. */
  readonly nextRun?: string | undefined;
  readonly schedule?: string | undefined;
  /** The members of a cluster that the object stands for, as `status.members` lists them. */
  readonly members?: readonly MemberInfo[] | undefined;
}

/** A member of a cluster: one server of a database, for example. */
export interface MemberInfo {
  readonly name: string;
  /** Leader, learner, primary, …; empty when the status does not say. */
  readonly role: string;
  /** Undefined when the status does not say. */
  readonly isHealthy?: boolean | undefined;
  readonly health: string;
  /** Its other fields, as text. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

export interface ObjectsUpdate {
  /** True when this replaces everything sent before. */
  readonly reset?: boolean | undefined;
  readonly changed: readonly ObjectSummary[];
  /** uids. */
  readonly removed: readonly string[];
  /** Kinds that cannot be read at the moment, and why. */
  readonly problems: readonly KindProblem[];
  /** True once every kind that can be listed has been. */
  readonly synced: boolean;
}

export interface KindProblem {
  readonly kind: string;
  readonly message: string;
  readonly reason: WaitReason;
}

export interface TableUpdate {
  /** Sent with the first update, and when the columns change. */
  readonly columns?: readonly ColumnInfo[] | undefined;
  readonly changed: readonly RowInfo[];
  readonly removed: readonly string[];
  /** Why the table is no longer live; it is tried again. */
  readonly problem?: string | undefined;
}

export interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** 0 for columns that are always shown. */
  readonly priority: number;
}

export interface RowInfo {
  readonly uid: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly cells: readonly unknown[];
}

export interface ObjectUpdate {
  /** Undefined once the object is gone. */
  readonly object?: Readonly<Record<string, unknown>> | undefined;
  /** The object as YAML, without managed fields. */
  readonly yaml?: string | undefined;
  readonly summary?: ObjectSummary | undefined;
  readonly events: readonly EventInfo[];
  /** Changed fields since the version before, newest version first. */
  readonly changes: readonly VersionChange[];
  readonly managers: readonly FieldOwner[];
}

export interface EventInfo {
  readonly uid: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly first?: string | undefined;
  readonly last?: string | undefined;
  readonly source: string;
}

/** One step from a version of an object to the next. */
export interface VersionChange {
  readonly resourceVersion: string;
  /** RFC 3339; when the dashboard saw it. */
  readonly seen: string;
  readonly fields: readonly FieldChange[];
}

export interface FieldChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The field manager that owns it now. */
  readonly manager?: string | undefined;
}

/** A field manager and the fields it set. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string | undefined;
  readonly time?: string | undefined;
  readonly fields: readonly string[];
}

export interface ManagersUpdate {
  readonly managers: readonly ManagerInfo[];
}

export interface ManagerInfo {
  readonly name: string;
  readonly isLeader: boolean;
  readonly controllers: readonly ControllerInfo[];
}

export interface ControllerInfo {
  readonly name: string;
  readonly kind: string;
  readonly waiting: number;
  readonly delayed: number;
  readonly inFlight: number;
  /** Keys that failed, with the time of their next attempt. */
  readonly retries: readonly RetryInfo[];
  /** Since the last update: reconciles and failures, and the time they took at the median and at worst, in milliseconds. */
  readonly reconciles: number;
  readonly failures: number;
  readonly median: number;
  readonly longest: number;
  readonly paused: boolean;
}

export interface RetryInfo {
  readonly key: string;
  readonly failures: number;
  readonly due?: string | undefined;
}

export interface ReconcilesUpdate {
  /** Oldest first. */
  readonly records: readonly ReconcileInfo[];
  /** Loops and fights, as they are at the moment. */
  readonly loops: readonly LoopInfo[];
}

/** One reconcile: trigger, reads, writes, result. */
export interface ReconcileInfo {
  readonly id: number;
  readonly manager: string;
  readonly controller: string;
  readonly kind: string;
  readonly key: string;
  readonly reasons: readonly string[];
  /** RFC 3339. */
  readonly began: string;
  readonly duration: number;
  readonly waited: number;
  readonly outcome: string;
  readonly error?: string | undefined;
  readonly requeueAfter?: number | undefined;
  readonly reads: readonly ReadInfo[];
  readonly writes: readonly WriteInfo[];
  readonly events: readonly string[];
}

/** One read; the same read made again is counted. */
export interface ReadInfo {
  readonly verb: string;
  readonly kind: string;
  readonly target: string;
  readonly source: "cache" | "server";
  readonly times: number;
  readonly count: number;
  /** The keys of the first objects found. */
  readonly found: readonly string[];
  /** Milliseconds after the reconcile began, and how long it took. */
  readonly at: number;
  readonly duration: number;
  readonly error?: string | undefined;
}

export interface WriteInfo {
  readonly verb: string;
  readonly kind: string;
  readonly key: string;
  /** Milliseconds after the reconcile began, and how long it took. */
  readonly at: number;
  readonly duration: number;
  readonly error?: string | undefined;
}

/** An object that is reconciled again and again and written each time. */
export interface LoopInfo {
  readonly controller: string;
  readonly kind: string;
  readonly key: string;
  readonly message: string;
}

export type ControlName = "advance-time" | "stop-node" | "faults" | "snapshots";

export type Call =
  /** Server-side apply of one or more YAML documents. */
  | {
      readonly call: "apply";
      readonly yaml: string;
      readonly force: boolean;
      readonly namespace?: string | undefined;
    }
  /** Server-side apply of the fields in which two texts of the same object differ. */
  | { readonly call: "edit"; readonly before: string; readonly after: string; readonly force: boolean }
  | { readonly call: "delete"; readonly object: ObjectName }
  | { readonly call: "advance-time"; readonly milliseconds: number }
  | { readonly call: "stop-node"; readonly node: string; readonly stopped: boolean }
  | {
      readonly call: "pause-controller";
      readonly manager: string;
      readonly controller: string;
      readonly paused: boolean;
    }
  | { readonly call: "inject-fault"; readonly fault: FaultInput }
  | { readonly call: "clear-faults" }
  | { readonly call: "take-snapshot"; readonly name: string }
  | { readonly call: "restore-snapshot"; readonly name: string }
  /** Answered with a list of SnapshotInfo. */
  | { readonly call: "snapshots" };

/** What became of one document of `apply`. */
export interface Applied {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}
