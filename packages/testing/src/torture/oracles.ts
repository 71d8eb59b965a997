// The oracles that look at the objects of a cluster at rest: each returns what is wrong, in words, and nothing where all is well.
import { isObject, type KubeObject } from "@kubewright/api";
import type { StorageContents } from "@kubewright/apiserver";
import { healthOf } from "@kubewright/runtime";
import { MissingPermissionError } from "../missing-permissions.js";
import type { TestCluster } from "../test-cluster.js";
import type { WritePoint } from "./disturber.js";

/** A property that every torture run must have. */
export type Oracle =
  /** It ends in the state of the undisturbed run: nothing missing, left over, doubled or different. */
  | "same-state"
  /** What the operator made is gone with what it was made for, and finalizers with it. */
  | "clean-up"
  /** Nothing is deleted that was there before. */
  | "bystanders"
  /** Nothing reports that it is ready while what it owns is not. */
  | "true-status"
  /** It comes to rest. */
  | "settles"
  /** No error of the program, none that nobody caught, no request that its permissions do not allow. */
  | "no-program-error"
  /** The steps themselves succeed. */
  | "scenario"
  /** What the author states. */
  | "invariant";

const changing = new Set(["Lease", "Event", "Endpoints", "EndpointSlice", "Pod"]);

/** Objects that were there at the beginning, and are not any more. */
export function deletedSince(before: StorageContents, now: StorageContents): readonly string[] {
  const uids = new Set([...now.rows].map(({ object }) => object.metadata.uid));
  return [...before.rows]
    .filter(({ object }) => !changing.has(object.kind) && !uids.has(object.metadata.uid))
    .map(({ object: { kind, metadata } }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
}

/** Custom objects whose reconciles still fail at rest, as the runtime reports it. */
export function failingObjects({ rows }: StorageContents, kinds: ReadonlySet<string>): readonly string[] {
  return [...rows].flatMap(({ object }) => {
    const { kind, apiVersion, metadata } = object;
    if (!kinds.has(`${kind}.${apiVersion.split("/").slice(0, -1).join("/")}`)) return [];
    const failed = conditionsOf(object).find(
      (each) => each["type"] === "ReconcileFailed" && each["status"] === "True",
    );
    return failed
      ? [`${kind} ${metadata.namespace ?? ""}/${metadata.name} keeps failing: ${String(failed["message"])}`]
      : [];
  });
}

function statusOf(object: object): Readonly<Record<string, unknown>> {
  const { status } = object as { readonly status?: unknown };
  return isObject(status) ? status : {};
}

function conditionsOf(object: object): readonly Readonly<Record<string, unknown>>[] {
  const conditions = statusOf(object)["conditions"];
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}

/** Custom objects that report to be ready, or available, while something they control is not, or more replicas than there are. */
export function falseStatuses({ rows }: StorageContents, kinds: ReadonlySet<string>): readonly string[] {
  const objects = [...rows].map(({ object }) => object as unknown as KubeObject);
  const isCustom = ({ kind = "", apiVersion = "" }: KubeObject): boolean =>
    kinds.has(`${kind}.${apiVersion.split("/").slice(0, -1).join("/")}`);
  const children = objects.filter((object) => !isCustom(object));
  return objects.filter(isCustom).flatMap((owner) => {
    const own = children.filter((child) => isControlledBy(child, owner));
    const lies = [...own.map((child) => lieAbout(owner, child)), ...replicaLies(owner, own)];
    const name = `${owner.kind} ${owner.metadata?.namespace ?? ""}/${owner.metadata?.name}`;
    return lies.flatMap((lie) => (lie === undefined ? [] : [`${name} ${lie}`]));
  });
}

const isControlledBy = ({ metadata }: KubeObject, owner: KubeObject): boolean =>
  metadata?.ownerReferences?.some(({ controller, uid }) => controller && uid === owner.metadata?.uid) ??
  false;

/** Phases that say the same as the conditions do. */
const readyPhases = new Set(["Ready", "Healthy"]);
const availablePhases = new Set(["Available", "Running"]);

/**
 * An object without conditions and phase claims nothing. One that is available may still be in the middle of a rollout, and one that is degraded
 * as well says that a part of it is not.
 */
function lieAbout(owner: KubeObject, child: KubeObject): string | undefined {
  const name = `${child.kind} ${child.metadata?.name}`;
  const phase = String(statusOf(owner)["phase"]);
  // A run that is under way, or failed, says nothing of what started it.
  const health = child.kind === "Job" ? undefined : healthOf(child);
  if ((isTrue(owner, "Ready") || readyPhases.has(phase)) && health && health.state !== "ready")
    return `reports to be ready, but ${name} is not: ${health.message ?? health.state}`;
  const isUnavailable = conditionsOf(child).some(
    (each) => each["type"] === "Available" && each["status"] === "False",
  );
  const claimsAll = !isTrue(owner, "Degraded") && (isTrue(owner, "Available") || availablePhases.has(phase));
  if (claimsAll && isUnavailable) return `reports to be available, but ${name} is not`;
  return undefined;
}

const workloads = new Set(["Deployment", "StatefulSet", "ReplicaSet"]);

/** Numbers of replicas are compared where they are those of workloads, all of which the object controls itself. */
function replicaLies(owner: KubeObject, own: readonly KubeObject[]): readonly string[] {
  const running = own.filter(({ kind = "" }) => workloads.has(kind));
  if (running.length === 0) return [];
  return ["readyReplicas", "availableReplicas"].flatMap((field) => {
    const reported = statusOf(owner)[field];
    const counts = running.map((child) => Number(statusOf(child)[field] ?? 0));
    const actual = counts.reduce((sum, count) => sum + count, 0);
    return typeof reported === "number" && reported > actual
      ? [`reports ${reported} ${field}, but what it controls has ${actual}`]
      : [];
  });
}

const isTrue = (object: KubeObject, type: string): boolean =>
  conditionsOf(object).some((each) => each["type"] === type && each["status"] === "True");

/** Mistakes in the program and in what it declares, not failures of requests. */
export function programErrors({ errors }: TestCluster): readonly Error[] {
  return errors
    .map(({ error }) => error)
    .filter(
      (error): error is Error =>
        error instanceof MissingPermissionError ||
        ((error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError) &&
          error.cause === undefined),
    );
}

/** A write of one object that is repeated more often than this while everything should be at rest never ends. */
const mostWritesAtRest = 10;

/** Objects that are still written, again and again, after `since` on the cluster's clock. */
export function restlessWrites(
  writes: readonly WritePoint[],
  since: number,
  onPurpose: readonly string[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { method, path, time } of writes)
    if (time >= since && !onPurpose.some((part) => path.includes(part)))
      counts.set(`${method} ${path}`, (counts.get(`${method} ${path}`) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > mostWritesAtRest)
    .map(([write]) => `${write} is repeated without end`);
}
