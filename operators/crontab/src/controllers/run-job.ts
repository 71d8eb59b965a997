// The Job of a run. It carries in its name the second it was due at, so that no second has two.
import { createHash } from "node:crypto";
import type { Job } from "@kubewright/api";
import { mergePodTemplate } from "@kubewright/runtime/workload";
import type { CronTab } from "../api/v1/cron-tab.js";
import { cronTabLabel, missedAnnotation, runNowAnnotation, scheduledAnnotation, shown } from "./runs.js";

/** Names of pods are made from those of Jobs, and are labels: 63 characters, of which the second takes 11. */
const maxBase = 52;

const digest = (text: string, length: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

/** The name of the run that is due at a moment. */
export function runName(name: string, time: number): string {
  return `${baseName(name)}-${Math.floor(time / 1_000)}`;
}

/** The name of the run that an annotation asks for. */
export function runNowName(name: string, value: string): string {
  return `${baseName(name)}-${digest(value, 10)}`;
}

function baseName(name: string): string {
  if (name.length <= maxBase) return name;
  return `${name.slice(0, maxBase - 9).replace(/[^a-z0-9]+$/, "")}-${digest(name, 8)}`;
}

/** The run that is due at a moment, after so many were missed. */
export function runFor(cronTab: CronTab, time: number, missed: number) {
  const annotations = {
    [scheduledAnnotation]: shown(time),
    ...(missed > 0 ? { [missedAnnotation]: String(missed) } : {}),
  };
  return jobFor(cronTab, runName(cronTab.metadata.name ?? "", time), annotations);
}

/** The run that an annotation asks for. */
export function runNow(cronTab: CronTab, value: string) {
  return jobFor(cronTab, runNowName(cronTab.metadata.name ?? "", value), { [runNowAnnotation]: value });
}

function jobFor({ metadata, spec }: CronTab, name: string, annotations: Readonly<Record<string, string>>) {
  const { image, replicas = 1, command, args, env, resources, podTemplate } = spec;
  const { backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished } = spec;
  const labels = { [cronTabLabel]: (metadata.name ?? "").slice(0, 63).replace(/[^a-z0-9]+$/, "") };
  const container = { name: "run", image, command, args, env, resources };
  const pods = {
    metadata: { labels },
    spec: { restartPolicy: "OnFailure" as const, containers: [container] },
  };
  return {
    metadata: { name, labels, annotations },
    spec: {
      parallelism: replicas,
      completions: replicas,
      backoffLimit,
      activeDeadlineSeconds,
      ttlSecondsAfterFinished,
      template: mergePodTemplate(pods, podTemplate),
    },
  } satisfies Job;
}
