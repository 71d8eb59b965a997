// Prepares pods for create and update: fields that the server sets, and fields that it keeps.
import type { Draft, LabelSelector, OwnerReference, Pod, PodAffinityTerm } from "@kubewright/api";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import type { StrategyContext } from "../strategy-context.js";
import { setPodCondition } from "./pod-condition.js";
import { qosClassOf } from "./pod-qos.js";
import { syncAppArmor } from "./sync-app-armor.js";

/** A new pod waits for a node; selectors take up the labels they are to follow. */
export function prepareNewPod(object: DraftObject, context: StrategyContext): void {
  const pod = draftAs<Pod>(object);
  pod.spec ??= { containers: [] };
  pod.status = { phase: "Pending", qosClass: qosClassOf(pod.spec) };
  if ((pod.spec.schedulingGates ?? []).length > 0) {
    const gated = {
      type: "PodScheduled",
      status: "False",
      reason: "SchedulingGated",
      message: "Scheduling is blocked due to non-empty scheduling gates",
    };
    pod.status.conditions = setPodCondition(undefined, gated, context.clock.now());
  }
  mergeLabelKeys(pod);
  context.warnings.push(...syncAppArmor(pod));
}

function mergeLabelKeys({ metadata, spec }: Draft<Pod>): void {
  const labels = metadata?.labels ?? {};
  for (const affinity of [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity]) {
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const { podAffinityTerm } of preferred) mergeTerm(podAffinityTerm, labels);
    for (const term of affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
      mergeTerm(term, labels);
  }
  for (const { labelSelector, matchLabelKeys } of spec?.topologySpreadConstraints ?? []) {
    addExpressions(labelSelector, matchLabelKeys, "In", labels);
  }
}

function mergeTerm(term: Draft<PodAffinityTerm>, labels: Readonly<Record<string, string>>): void {
  addExpressions(term.labelSelector, term.matchLabelKeys, "In", labels);
  addExpressions(term.labelSelector, term.mismatchLabelKeys, "NotIn", labels);
}

function addExpressions(
  selector: Draft<LabelSelector> | undefined,
  keys: readonly string[] | undefined,
  operator: "In" | "NotIn",
  labels: Readonly<Record<string, string>>,
): void {
  if (!selector) return;
  for (const key of keys ?? []) {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (value === undefined) continue;
    selector.matchExpressions ??= [];
    selector.matchExpressions.push({ key, operator, values: [value] });
  }
}

/** A report about a pod: its class is settled, and generations seen are not forgotten. */
export function preparePodStatus(object: DraftObject, old: StoredObject): void {
  const pod = draftAs<Pod>(object);
  const before = storedAs<Pod>(old);
  pod.metadata ??= {};
  if (before.metadata?.ownerReferences)
    pod.metadata.ownerReferences = before.metadata.ownerReferences as Draft<OwnerReference>[];
  else delete pod.metadata.ownerReferences;
  pod.status ??= {};
  const { status } = pod;
  status.qosClass ??= before.status?.qosClass;
  if (status.qosClass === undefined) delete status.qosClass;
  const observed = status.observedGeneration || before.status?.observedGeneration;
  if (observed) status.observedGeneration = observed;
  keepObservedGenerations(status, before);
}

/** Conditions of one type are matched in order. */
function keepObservedGenerations(status: NonNullable<Draft<Pod>["status"]>, before: Pod): void {
  const left = new Map<string, (number | undefined)[]>();
  for (const { type, observedGeneration } of [...(before.status?.conditions ?? [])].reverse()) {
    const known = left.get(type);
    if (known) known.push(observedGeneration);
    else left.set(type, [observedGeneration]);
  }
  for (const condition of status.conditions ?? []) {
    const old = left.get(condition.type)?.pop();
    const observed = condition.observedGeneration || old;
    if (observed) condition.observedGeneration = observed;
  }
}
