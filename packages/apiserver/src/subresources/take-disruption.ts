// Uses up one of the disruptions a budget allows, or says why it cannot.

import { ApiError, cloneJson, type Draft, formatTime, type PodDisruptionBudget } from "@kubewright/api";
import {
  type DraftObject,
  draftAs,
  forbidden,
  notFound,
  type StoredObject,
  storedAs,
} from "@kubewright/kinds";

import type { RequestContext } from "../registry/request-context.js";
import { subjectOf } from "../registry/resource-kind.js";
import { trackManagedFields } from "../registry/track-managed-fields.js";
import { updateObject } from "../registry/update-object.js";
import type { WriteOptions } from "../registry/write-options.js";

const maxUnconfirmed = 2000;

/** Counts the eviction of a pod against the budget. Throws 429 when it allows none. */
export async function takeDisruption(
  context: RequestContext,
  budget: StoredObject,
  podName: string,
  dryRun: boolean,
): Promise<void> {
  const { name, namespace } = budget.metadata;
  if (dryRun) return check(storedAs<PodDisruptionBudget>(budget), name);
  const { registry, clock } = context.services;
  const kind = registry.find("policy", "v1", "poddisruptionbudgets");
  const status = kind?.subresources.get("status");
  if (!kind || !status?.strategy) throw new Error("budgets are not served");
  const { strategy } = status;
  // The server itself writes the budget, not the user who evicts.
  const options: WriteOptions = {
    dryRun: false,
    fieldManager: "kube-apiserver",
    fieldValidation: "Ignore",
    force: false,
  };
  const target = { kind, name, namespace, strategy, subresource: "status" };
  await updateObject(context, target, options, async (current) => {
    if (!current) throw notFound(subjectOf(kind, name));
    check(storedAs<PodDisruptionBudget>(current), name);
    const object: DraftObject = cloneJson(current);
    disrupt(draftAs<PodDisruptionBudget>(object), podName, clock.now());
    await trackManagedFields(context, kind, strategy, current, object, options, target.subresource);
    return { object };
  });
}

function check({ metadata, status }: PodDisruptionBudget, name: string): void {
  const {
    observedGeneration = 0,
    disruptionsAllowed = 0,
    currentHealthy = 0,
    desiredHealthy = 0,
  } = status ?? {};
  if (observedGeneration < (metadata?.generation ?? 0))
    throw refused(`The disruption budget ${name} is still being processed by the server.`, 10);
  const subject = { group: "policy", resource: "poddisruptionbudget", name };
  if (disruptionsAllowed < 0) throw forbidden(subject, "pdb disruptions allowed is negative");
  if (Object.keys(status?.disruptedPods ?? {}).length > maxUnconfirmed) {
    const text = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    throw forbidden(subject, text);
  }
  if (disruptionsAllowed > 0) return;
  const failed = (status?.conditions ?? []).find(
    ({ type, reason }) => type === "DisruptionAllowed" && reason === "SyncFailed",
  );
  throw refused(
    failed
      ? `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${failed.message}`
      : `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
  );
}

const refused = (message: string, retryAfterSeconds?: number): ApiError =>
  new ApiError("Cannot evict pod as it would violate the pod's disruption budget.", {
    code: 429,
    reason: "TooManyRequests",
    details: {
      causes: [{ reason: "DisruptionBudget", message }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  });

function disrupt(budget: Draft<PodDisruptionBudget>, podName: string, now: number): void {
  const { status } = budget;
  if (!status) return;
  const left = (status.disruptionsAllowed ?? 0) - 1;
  status.disruptionsAllowed = left;
  status.disruptedPods = { ...status.disruptedPods, [podName]: formatTime(now) };
  if (left > 0) return;
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    message: "",
    observedGeneration: status.observedGeneration,
    lastTransitionTime: formatTime(now),
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== condition.type);
  status.conditions = [...others, condition] as NonNullable<typeof status.conditions>;
}
