// The Jobs of a CronJob: what they look like, and which of them count as running.
import {
  type CronJob,
  CronJob as CronJobKind,
  controllerReference,
  findCondition,
  formatTime,
  type Job,
  type ObjectReference,
} from "@kubewright/api";

/** How a Job ended; undefined while it runs. */
export const finishedAs = ({ status }: Job): "Complete" | "Failed" | undefined =>
  (["Complete", "Failed"] as const).find(
    (type) => findCondition(status?.conditions, type)?.status === "True",
  );

/** The Job for a time; its name follows from the time, so that a time is used once. */
export function jobAt(cron: CronJob, time: number): Job {
  const { metadata, spec } = cron.spec?.jobTemplate ?? {};
  const scheduled = {
    "batch.kubernetes.io/cronjob-scheduled-timestamp": zonedTime(time, cron.spec?.timeZone),
  };
  return {
    metadata: {
      name: `${cron.metadata?.name}-${Math.floor(time / 60_000)}`,
      namespace: cron.metadata?.namespace,
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      annotations: { ...metadata?.annotations, ...scheduled },
      ownerReferences: [controllerReference(cron, { kind: CronJobKind })],
    },
    ...(spec ? { spec } : {}),
  };
}

export function referenceTo({ metadata }: Job): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata ?? {};
  return { apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion };
}

/** A time as a clock on the wall of the zone shows it, with its distance from UTC. */
export function zonedTime(time: number, timeZone: string | undefined): string {
  if (timeZone === undefined || timeZone === "UTC") return formatTime(time);
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const name = format.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const offset = name.slice("GMT".length);
  if (offset === "") return formatTime(time);
  const [hours = 0, minutes = 0] = offset.slice(1).split(":").map(Number);
  const shift = (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  return `${formatTime(time + shift).slice(0, -1)}${offset}`;
}
