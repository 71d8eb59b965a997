// `/eviction`: deletes a pod unless that would break a disruption budget.

import {
  ApiError,
  cloneJson,
  type DeleteOptions as DeleteOptionsBody,
  type Eviction,
  fieldError,
  isConflict,
  LabelMatcher,
  type LabelSelector,
  type Pod,
  type PodDisruptionBudget,
} from "@kubewright/api";
import {
  badRequest,
  type DraftObject,
  draftAs,
  invalid,
  notFound,
  type StoredObject,
  setPodCondition,
  storedAs,
} from "@kubewright/kinds";

import { noAdmission } from "../registry/admission-control.js";
import { deleteObject } from "../registry/delete-object.js";
import { type DeleteOptions, deleteOptionErrors } from "../registry/delete-options.js";
import type { RequestContext } from "../registry/request-context.js";
import { keyOf, type ResourceKind, type SubresourceResult, subjectOf } from "../registry/resource-kind.js";
import { type WriteOptions, writeOptions } from "../registry/write-options.js";
import { RevisionConflict } from "../storage/index.js";
import { decodeAction, done, plainFailure } from "./action-body.js";
import { takeDisruption } from "./take-disruption.js";

const accepted = [
  { group: "policy", version: "v1", kind: "Eviction" },
  { group: "policy", version: "v1beta1", kind: "Eviction" },
] as const;

interface Target {
  readonly context: RequestContext;
  readonly kind: ResourceKind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly options: DeleteOptions;
}

/** POST to a pod's `/eviction`. */
export async function evictPod(context: RequestContext, kind: ResourceKind): Promise<SubresourceResult> {
  const { info } = context;
  if (info.kind !== "resource" || info.name === undefined) return done;
  const options = writeOptions(context, "CreateOptions");
  const eviction = decodeAction<Eviction>(context, accepted, options);
  if ((eviction.metadata?.name ?? "") !== info.name)
    throw badRequest("name in URL does not match name in Eviction object");
  checkDeleteOptions(eviction, info.name);
  const target: Target = {
    context,
    kind,
    namespace: info.namespace,
    name: info.name,
    options: deleteOptions(eviction.deleteOptions, options),
  };
  await admit(target, eviction);
  await evict(target);
  return done;
}

/** Throws 422 for options that cannot be, or not of an eviction. */
function checkDeleteOptions({ deleteOptions: body }: Eviction, name: string): void {
  const { ignoreStoreReadErrorWithClusterBreakingPotential: unsafe, ...options } = body ?? {};
  if (unsafe) {
    const field = "deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential";
    const text = "can not be set for pod eviction, try after removing the option";
    throw invalid({ group: "policy", kind: "Eviction" }, name, [fieldError.invalid(field, unsafe, text)]);
  }
  const errors = deleteOptionErrors(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
}

function deleteOptions(body: DeleteOptionsBody | undefined, { dryRun }: WriteOptions): DeleteOptions {
  const policy = body?.propagationPolicy;
  const known =
    policy === "Orphan" || policy === "Background" || policy === "Foreground" ? policy : undefined;
  return {
    gracePeriodSeconds: body?.gracePeriodSeconds,
    propagationPolicy: known,
    orphanDependents: body?.orphanDependents,
    preconditions: { uid: body?.preconditions?.uid, resourceVersion: body?.preconditions?.resourceVersion },
    dryRun: dryRun || (body?.dryRun ?? []).length > 0,
  };
}

async function admit({ context, kind, namespace, name, options }: Target, eviction: Eviction): Promise<void> {
  const request = {
    operation: "CREATE" as const,
    kind,
    subresource: "eviction",
    name,
    namespace,
    object: eviction as unknown as DraftObject,
    oldObject: undefined,
    dryRun: options.dryRun,
    context,
  };
  await context.services.admission.mutate(request);
  await context.services.admission.validate(request);
}

async function evict(target: Target): Promise<void> {
  const stored = read(target);
  const pod = storedAs<Pod>(stored);
  if (isOutOfBudget(pod)) return remove(target, undefined);
  const budgets = budgetsOf(target, pod);
  if (budgets.length > 1)
    throw plainFailure(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  const [budget] = budgets;
  if (!budget) return remove(target, undefined);
  if (!isReady(pod) && mayGoUnready(storedAs<PodDisruptionBudget>(budget))) {
    return removeUnchanged(target, stored, budget.metadata.name);
  }
  await takeDisruption(target.context, budget, target.name, target.options.dryRun);
  return remove(target, undefined);
}

function read({ context, kind, namespace, name }: Target): StoredObject {
  const stored = context.services.storage.get(kind.storage, keyOf(kind, namespace, name));
  if (!stored) throw notFound(subjectOf(kind, name));
  return stored;
}

/** Pods that have ended, have not started, or are terminating. */
const isOutOfBudget = ({ metadata, status }: Pod): boolean =>
  ["Succeeded", "Failed", "Pending"].includes(status?.phase ?? "") ||
  metadata?.deletionTimestamp !== undefined;

const isReady = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }) => type === "Ready" && value === "True");

/** A pod that is not ready does not count as healthy, so its end breaks nothing. */
function mayGoUnready({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function budgetsOf({ context }: Target, pod: Pod): StoredObject[] {
  const budgets = context.services.storage.list("policy/poddisruptionbudgets", {
    prefix: `${pod.metadata?.namespace}/`,
  });
  return [...budgets].filter((budget) =>
    selects(storedAs<PodDisruptionBudget>(budget).spec?.selector, pod.metadata?.labels),
  );
}

/** An empty or invalid selector covers nothing here. */
function selects(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  try {
    const matcher = LabelMatcher.from(selector);
    return matcher.requirements.length > 0 && matcher.matches(labels);
  } catch {
    return false;
  }
}

/** Refuses when the pod changed since it was looked at, for it may be ready now. */
async function removeUnchanged(target: Target, stored: StoredObject, budget: string): Promise<void> {
  try {
    await remove(target, stored.metadata.resourceVersion);
  } catch (error) {
    if (!isConflict(error) || target.options.preconditions.resourceVersion !== undefined) throw error;
    throw new ApiError("Cannot evict pod as it would violate the pod's disruption budget.", {
      code: 429,
      reason: "TooManyRequests",
      details: {
        causes: [
          {
            reason: "DisruptionBudget",
            message: `The disruption budget ${budget} is still being processed by the server.`,
          },
        ],
        retryAfterSeconds: 10,
      },
    });
  }
}

/** Says in the pod's status why it goes, then deletes it. Webhooks have seen the eviction, not the deletion. */
async function remove(target: Target, resourceVersion: string | undefined): Promise<void> {
  const { context, kind, namespace, name, options } = target;
  const pinned = options.preconditions.resourceVersion ?? resourceVersion;
  const current = read(target);
  const mark = !options.dryRun && (pinned === undefined || pinned === current.metadata.resourceVersion);
  const marked = mark ? await markDisrupted(target, current) : undefined;
  const preconditions = {
    ...options.preconditions,
    ...(pinned === undefined ? {} : { resourceVersion: marked?.metadata.resourceVersion ?? pinned }),
  };
  const unadmitted = { ...context, services: { ...context.services, admission: noAdmission } };
  await deleteObject(unadmitted, kind, namespace, name, { ...options, preconditions });
}

async function markDisrupted(
  { context, kind, namespace, name }: Target,
  current: StoredObject,
): Promise<StoredObject> {
  const { storage, clock } = context.services;
  const object = cloneJson(current);
  const pod = draftAs<Pod>(object);
  pod.status ??= {};
  pod.status.conditions = setPodCondition(
    pod.status.conditions,
    {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
      ...(current.metadata.generation ? { observedGeneration: current.metadata.generation } : {}),
    },
    clock.now(),
  );
  const key = keyOf(kind, namespace, name);
  try {
    return storage.put(kind.storage, key, object, { revision: current.metadata.resourceVersion });
  } catch (error) {
    // Nothing was awaited since it was read: this cannot be.
    if (error instanceof RevisionConflict) throw plainFailure(error.message);
    throw error;
  }
}
