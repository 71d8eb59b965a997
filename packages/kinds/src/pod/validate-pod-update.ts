// A pod that is there hardly changes: images, deadlines, more tolerations, fewer gates; while gated, where it may go.
import {
  type Container,
  deepEqual,
  type FieldError,
  fieldError,
  type NodeAffinity,
  type NodeSelectorTerm,
  type Pod,
  type PodSpec,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { diffOfJson } from "../json-diff.js";
import { internalPodSpec } from "./internal-value.js";
import { validateImagePadding } from "./validate-container.js";
import { podSpecOf, validatePod } from "./validate-pod.js";
import { validateAnnotationChange } from "./validate-pod-annotations.js";
import { validateAddedTolerations } from "./validate-tolerations.js";

const maxInt32 = 2_147_483_647;
const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

/** A changed pod. */
export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const now = podSpecOf(pod);
  const before = podSpecOf(old);
  const field = "metadata.annotations";
  const errors = [
    ...validatePod(pod),
    ...validateAnnotationChange(pod.metadata?.annotations, old.metadata?.annotations, field),
  ];
  for (const list of ["containers", "initContainers"] as const) {
    const found = containerErrors(now[list] ?? [], before[list] ?? [], `spec.${list}`);
    errors.push(...found.errors);
    if (found.stop) return errors;
  }
  const deadline = deadlineErrors(now.activeDeadlineSeconds, before.activeDeadlineSeconds);
  errors.push(...deadline.errors);
  if (deadline.stop) return errors;
  errors.push(
    ...validateAddedTolerations(now.tolerations ?? [], before.tolerations ?? [], "spec.tolerations"),
    ...addedGates(now, before),
  );
  return deepEqual(now, before) ? errors : [...errors, ...restErrors(now, before)];
}

interface Found {
  readonly errors: FieldError[];
  /** Nothing further can be compared. */
  readonly stop: boolean;
}

function containerErrors(now: readonly Container[], before: readonly Container[], field: string): Found {
  if (now.length !== before.length) {
    const error = fieldError.forbidden(field, "pod updates may not add or remove containers");
    return { errors: [error], stop: true };
  }
  const errors = checkEach(now, (container, index) => [
    ...(container.image ? [] : [fieldError.required(`${field}[${index}].image`)]),
    ...validateImagePadding(container, `${field}[${index}]`),
  ]);
  return { errors, stop: false };
}

/** A deadline may come and may move closer, but not go. */
function deadlineErrors(now: number | undefined, before: number | undefined): Found {
  const field = "spec.activeDeadlineSeconds";
  const refuse = (text: string, stop: boolean): Found => ({
    errors: [fieldError.invalid(field, now ?? null, text)],
    stop,
  });
  if (now === undefined) {
    if (before === undefined) return { errors: [], stop: false };
    return refuse("must not update from a positive integer to nil value", false);
  }
  if (now < 0 || now > maxInt32) return refuse(`must be between 0 and ${maxInt32}, inclusive`, true);
  if (before !== undefined && before < now)
    return refuse("must be less than or equal to previous value", true);
  return { errors: [], stop: false };
}

function addedGates(now: PodSpec, before: PodSpec): FieldError[] {
  const known = new Set((before.schedulingGates ?? []).map(({ name }) => name));
  return checkEach(now.schedulingGates ?? [], ({ name }, index) => {
    if (known.has(name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [fieldError.forbidden(`spec.schedulingGates[${index}].name`, text)];
  });
}

/** Whatever is different although it may not be. */
function restErrors(now: PodSpec, before: PodSpec): FieldError[] {
  const gated = (before.schedulingGates ?? []).length > 0;
  const errors = gated ? gatedErrors(now, before) : [];
  const undone = withChangesUndone(now, before, gated);
  if (deepEqual(undone, before)) return errors;
  const difference = diffOfJson(internalPodSpec(before), internalPodSpec(undone));
  const text = `pod updates may not change fields other than ${changeable}\n${difference}`;
  return [...errors, fieldError.forbidden("spec", text)];
}

/** The new spec with everything that may change put back to what it was. */
function withChangesUndone(now: PodSpec, before: PodSpec, gated: boolean): PodSpec {
  const withImages = (list: readonly Container[] | undefined, old: readonly Container[] | undefined) =>
    list?.map((container, index) => ({ ...container, image: old?.[index]?.image }));
  const wasNegative = (before.terminationGracePeriodSeconds ?? 0) < 0;
  const undone: PodSpec = {
    ...now,
    containers: withImages(now.containers, before.containers) ?? [],
    initContainers: withImages(now.initContainers, before.initContainers),
    activeDeadlineSeconds: before.activeDeadlineSeconds,
    schedulingGates: before.schedulingGates,
    tolerations: before.tolerations,
    ...(wasNegative && now.terminationGracePeriodSeconds === 1
      ? { terminationGracePeriodSeconds: before.terminationGracePeriodSeconds }
      : {}),
  };
  return gated
    ? { ...undone, nodeSelector: before.nodeSelector, affinity: affinityUndone(now, before) }
    : undone;
}

function affinityUndone(now: PodSpec, before: PodSpec): PodSpec["affinity"] {
  const nodeAffinity = before.affinity?.nodeAffinity;
  const { podAffinity, podAntiAffinity } = now.affinity ?? {};
  if (!before.affinity && !podAffinity && !podAntiAffinity) return undefined;
  if (!now.affinity && !nodeAffinity) return undefined;
  return { ...now.affinity, nodeAffinity };
}

/** A gated pod may be narrowed down further, never widened. */
function gatedErrors(now: PodSpec, before: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  const kept = Object.entries(before.nodeSelector ?? {}).every(
    ([key, value]) => now.nodeSelector?.[key] === value,
  );
  if (!kept) {
    const text = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
    errors.push(fieldError.invalid("spec.nodeSelector", now.nodeSelector ?? null, text));
  }
  const affinity = [now.affinity?.nodeAffinity, before.affinity?.nodeAffinity] as const;
  return deepEqual(...affinity) ? errors : [...errors, ...narrowedErrors(...affinity)];
}

function narrowedErrors(now: NodeAffinity | undefined, before: NodeAffinity | undefined): FieldError[] {
  const field = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const terms = now?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const old = before?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (old.length > 0 && old.length !== terms.length) {
    const text = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [fieldError.invalid(field, terms.length === 0 ? null : terms.map(shownTerm), text)];
  }
  return checkEach(old, (term, index) => {
    const next = terms[index];
    if (next && onlyAdds(next, term)) return [];
    const text = "only additions are allowed (no mutations or deletions)";
    return [fieldError.invalid(`${field}[${index}]`, next ? shownTerm(next) : null, text)];
  });
}

const shownTerm = ({ matchExpressions, matchFields }: NodeSelectorTerm): unknown => {
  const shown = (list: NodeSelectorTerm["matchFields"]): unknown =>
    list?.map(({ key, operator, values }) => ({ Key: key, Operator: operator, Values: values ?? null })) ??
    null;
  return { MatchExpressions: shown(matchExpressions), MatchFields: shown(matchFields) };
};

function onlyAdds(now: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const { matchExpressions = [], matchFields = [] } = before;
  const expressions = now.matchExpressions ?? [];
  const fields = now.matchFields ?? [];
  if (matchExpressions.length + matchFields.length === 0 && expressions.length + fields.length > 0)
    return false;
  return (
    deepEqual(expressions.slice(0, matchExpressions.length), matchExpressions) &&
    deepEqual(fields.slice(0, matchFields.length), matchFields)
  );
}
