// The pods of a Job: what they look like, and what can be read off them.
import { controllerReference, Job, type Pod, type PodSpec } from "@kubewright/api";
import { judgeFailure } from "./pod-failure-policy.js";

/** Held by every pod of a Job until it has been counted. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const indexAnnotation = "batch.kubernetes.io/job-completion-index";
const failuresAnnotation = "batch.kubernetes.io/job-index-failure-count";
const ignoredFailuresAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === "Indexed";
export const isLimitedPerIndex = ({ spec }: Job): boolean => spec?.backoffLimitPerIndex !== undefined;
export const isTracked = ({ metadata }: Pod): boolean =>
  metadata?.finalizers?.includes(trackingFinalizer) === true;

/** Whether a terminating pod keeps its place until it has ended. */
export const waitsForEnd = ({ spec }: Job): boolean =>
  spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;

/** Whether the pod has failed. One that is deleted before it ended has, unless the Job waits for its end. */
export function hasFailed(job: Job, { metadata, status }: Pod): boolean {
  if (status?.phase === "Failed") return true;
  return !waitsForEnd(job) && metadata?.deletionTimestamp !== undefined && status?.phase !== "Succeeded";
}

/** A pod to make. */
export interface PodOrder {
  /** The completion index of a pod of an indexed Job. */
  readonly index?: number | undefined;
  /** The failed pod whose place it takes, where failures are counted per index. */
  readonly replaced?: Pod | undefined;
}

/** A pod of the Job; for indexed ones, of that index. */
export function jobPod(job: Job, { index, replaced }: PodOrder, suffix: string): Pod {
  const { template } = job.spec ?? {};
  const name = job.metadata?.name ?? "";
  const { labels, annotations, finalizers = [] } = template?.metadata ?? {};
  const metadata = {
    namespace: job.metadata?.namespace,
    finalizers: [...finalizers.filter((held) => held !== trackingFinalizer), trackingFinalizer],
    ownerReferences: [controllerReference(job, { kind: Job })],
  };
  const spec = { containers: [], ...template?.spec };
  if (index === undefined)
    return { metadata: { ...metadata, generateName: `${name}-`, labels, annotations }, spec };
  const own = { [indexAnnotation]: String(index) };
  return {
    metadata: {
      ...metadata,
      name: `${name}-${index}-${suffix}`,
      generateName: `${name}-${index}-`,
      labels: { ...labels, ...own },
      annotations: { ...annotations, ...own, ...failureCounts(job, replaced) },
    },
    spec: { ...withIndexVariable(spec), hostname: `${name}-${index}` },
  };
}

function withIndexVariable(spec: PodSpec): PodSpec {
  const withVariable = (containers: PodSpec["containers"]): PodSpec["containers"] =>
    containers.map((container) =>
      container.env?.some(({ name }) => name === indexVariable.name)
        ? container
        : { ...container, env: [...(container.env ?? []), indexVariable] },
    );
  const { initContainers } = spec;
  return {
    ...spec,
    containers: withVariable(spec.containers),
    ...(initContainers ? { initContainers: withVariable(initContainers) } : {}),
  };
}

const indexVariable = {
  name: "JOB_COMPLETION_INDEX",
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } },
};

/** How often the index has failed so far, in annotations of the next pod that tries it. */
function failureCounts(job: Job, replaced: Pod | undefined): Readonly<Record<string, string>> {
  if (!isLimitedPerIndex(job)) return {};
  const isIgnored = replaced !== undefined && judgeFailure(job, replaced).action === "Ignore";
  const failures = replaced ? failuresOf(replaced) + (isIgnored ? 0 : 1) : 0;
  const ignored = replaced ? ignoredFailuresOf(replaced) + (isIgnored ? 1 : 0) : 0;
  return {
    [failuresAnnotation]: String(failures),
    ...(ignored > 0 ? { [ignoredFailuresAnnotation]: String(ignored) } : {}),
  };
}

/** The index a pod works on; undefined when it has none. */
export function indexOf({ metadata }: Pod): number | undefined {
  return countIn(metadata?.annotations?.[indexAnnotation]);
}

/** How often the pod's index had failed before it. */
export const failuresOf = ({ metadata }: Pod): number =>
  countIn(metadata?.annotations?.[failuresAnnotation]) ?? 0;

/** How often the pod's index had failed before it in ways that do not count. */
export const ignoredFailuresOf = ({ metadata }: Pod): number =>
  countIn(metadata?.annotations?.[ignoredFailuresAnnotation]) ?? 0;

function countIn(text: string | undefined): number | undefined {
  const number = Number(text);
  return text === undefined || !Number.isInteger(number) || number < 0 ? undefined : number;
}

/** When the pod ended, in milliseconds since 1970. */
export function endOf({ metadata, status }: Pod, now: number): number {
  const ends = (status?.containerStatuses ?? [])
    .map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ""))
    .filter((time) => !Number.isNaN(time));
  if (ends.length > 0) return Math.max(...ends);
  return Date.parse(metadata?.deletionTimestamp ?? "") || now;
}
