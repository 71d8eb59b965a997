// The pods of a Job, and the indexes they work on.
import { controllerReference, Job, type Pod } from "@kubewright/api";

/** Held by every pod of a Job until it has been counted. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const indexAnnotation = "batch.kubernetes.io/job-completion-index";

export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === "Indexed";

/** A pod of the Job; for indexed ones, of that index. */
export function jobPod(job: Job, index: number | undefined, suffix: string): Pod {
  const { template } = job.spec ?? {};
  const name = job.metadata?.name ?? "";
  const { labels, annotations, finalizers = [] } = template?.metadata ?? {};
  const metadata = {
    namespace: job.metadata?.namespace,
    finalizers: [...finalizers, trackingFinalizer],
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
      annotations: { ...annotations, ...own },
    },
    spec: {
      ...spec,
      hostname: spec.hostname ?? `${name}-${index}`,
      containers: spec.containers.map((container) => ({
        ...container,
        env: [...(container.env ?? []), indexVariable],
      })),
    },
  };
}

const indexVariable = {
  name: "JOB_COMPLETION_INDEX",
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } },
};

/** The index a pod works on; undefined when it has none. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata?.annotations?.[indexAnnotation];
  return text === undefined ? undefined : Number(text);
}

/** Reads `0-2,5`. */
export function parseIndexes(text: string | undefined): Set<number> {
  const found = new Set<number>();
  for (const part of (text ?? "").split(",").filter(Boolean)) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let index = first; index <= last; index++) found.add(index);
  }
  return found;
}

/** Writes `0-2,5`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const ranges: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}
