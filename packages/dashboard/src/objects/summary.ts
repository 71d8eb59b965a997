// What lists and graphs show of an object, made where the object is received, so that nothing else of it is kept.
import { isObject, type KubeObject, type OwnerReference } from "@kubewright/api";
import type { DynamicResource } from "@kubewright/client";
import { healthOf } from "@kubewright/runtime";
import type { HealthState, ObjectSummary } from "../protocol.js";
import { isCustom } from "./built-in-groups.js";
import { membersOf } from "./members.js";
import { referencesIn } from "./references.js";

export function summaryOf(object: KubeObject, resource: DynamicResource): ObjectSummary {
  const { metadata } = object;
  const { spec, status } = object as { readonly spec?: unknown; readonly status?: unknown };
  const { group, version, plural, kind } = resource;
  return {
    uid: metadata?.uid ?? "",
    group,
    version,
    plural,
    kind,
    custom: isCustom(group),
    namespace: metadata?.namespace,
    name: metadata?.name ?? "",
    ...healthFields(object, kind),
    created: metadata?.creationTimestamp,
    owners: ownersOf(metadata?.ownerReferences ?? []),
    references: referencesIn(spec, metadata?.namespace),
    schedule: scheduleOf(spec),
    nextRun: nextRunOf(status),
    members: membersOf(status),
  };
}

function healthFields(
  object: KubeObject,
  kind: string,
): { readonly health: HealthState; readonly message?: string | undefined } {
  const { deletionTimestamp, finalizers = [] } = object.metadata ?? {};
  if (deletionTimestamp !== undefined) {
    const message = finalizers.length > 0 ? `waits for finalizer ${finalizers.join(", ")}` : "being deleted";
    return { health: "terminating", message };
  }
  const failure = reconcileFailure(object);
  if (failure !== undefined) return { health: "failed", message: failure };
  const { state, message } = healthOf({ kind, ...object });
  return { health: state, message };
}

/** The condition controllers of the runtime write when a reconcile fails; it stands beside whatever else the status says. */
function reconcileFailure(object: KubeObject): string | undefined {
  const { status } = object as { readonly status?: unknown };
  const conditions = isObject(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const failed: unknown = conditions.find(
    (each: unknown) => isObject(each) && each["type"] === "ReconcileFailed" && each["status"] === "True",
  );
  return isObject(failed) ? String(failed["message"] ?? "its last reconcile failed") : undefined;
}

function ownersOf(references: readonly OwnerReference[]): readonly string[] {
  const sorted = [...references].sort(
    (one, other) => Number(other.controller === true) - Number(one.controller === true),
  );
  return sorted.map(({ uid }) => uid).filter((uid) => typeof uid === "string");
}

/** Cron expressions are in a field named `schedule` or `cronSpec`, directly or in a list of jobs. */
function scheduleOf(spec: unknown): string | undefined {
  if (!isObject(spec)) return undefined;
  const texts = [spec, ...listsOf(spec)].flatMap((each) =>
    [each["schedule"], each["cronSpec"]].filter((text) => typeof text === "string"),
  );
  return texts.length > 0 ? [...new Set(texts)].join(", ") : undefined;
}

/** The earliest of the times that a status names `next…`. */
function nextRunOf(status: unknown): string | undefined {
  if (!isObject(status)) return undefined;
  const times = [status, ...listsOf(status)].flatMap((each) =>
    Object.entries(each)
      .filter(([field, value]) => /^next[A-Z]/.test(field) && typeof value === "string")
      .map(([, value]) => String(value))
      .filter((value) => !Number.isNaN(Date.parse(value))),
  );
  return times.sort((one, other) => Date.parse(one) - Date.parse(other))[0];
}

const listsOf = (object: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] =>
  Object.values(object).flatMap((value) => (Array.isArray(value) ? value.filter(isObject) : []));
