// A command that is run at certain times: at each one, so many pods of an image, to completion.
import type { ObjectOf } from "@kubewright/api";
import { podTemplate } from "@kubewright/runtime/workload";
import { conditions, defineResource, kube, z } from "@kubewright/schema";

const instant = z.string().max(40);
const count = () => z.int32().min(0).optional();

// Nothing here has a default in the schema: objects of a CRD that knows only cronSpec, image and replicas are as good.
export const CronTab = defineResource({
  group: "stable.example.com",
  version: "v1",
  kind: "CronTab",
  plural: "crontabs",
  shortNames: ["ct"],
  spec: z
    .object({
      cronSpec: z
        .string()
        .max(500)
        .describe("When: 5 or 6 cron fields, @hourly and the like, @every 10m, or @date 2026-12-24 18:00"),
      image: z.string().describe("Container image to run"),
      replicas: count().describe("How many pods at each time. Default: 1"),
      command: z.array(z.string()).optional().describe("In place of the image's own entry point"),
      args: z.array(z.string()).optional().describe("Arguments of the command. Default: those of the image"),
      env: kube.listMap(kube.EnvVar, ["name"]).optional().describe("Environment of the container"),
      resources: kube.ResourceRequirements.optional().describe("Resources of the container"),
      podTemplate: podTemplate(),
      timeZone: z.string().max(64).optional().describe("Time zone of cronSpec. Default: UTC"),
      concurrencyPolicy: z
        .enum(["Allow", "Forbid", "Replace"])
        .optional()
        .describe("What becomes of a run that is due while one is under way. Default: Allow"),
      maxActiveRuns: z
        .int32()
        .min(1)
        .optional()
        .describe("With Allow, no run is started while so many are under way. Default: 100"),
      catchUpPolicy: z
        .enum(["Latest", "All"])
        .optional()
        .describe(
          "Which runs that could not be started in time are made up for: the latest, or all in order. Default: Latest",
        ),
      suspend: z
        .boolean()
        .optional()
        .describe("Starts nothing while true; what falls due meanwhile is skipped"),
      startingDeadlineSeconds: z
        .int32()
        .min(1)
        .optional()
        .describe("A run that could not be started for so long is missed. Default: no limit"),
      backoffLimit: count().describe(
        "How often the pods of a run may fail before the run has failed. Default: that of Jobs, 6",
      ),
      activeDeadlineSeconds: z
        .int()
        .min(1)
        .optional()
        .describe("How long a run may take before it has failed. Default: no limit"),
      ttlSecondsAfterFinished: count().describe(
        "Finished runs are deleted after so long. Default: the history limits alone",
      ),
      successfulJobsHistoryLimit: count().describe("Jobs kept that succeeded. Default: 3"),
      failedJobsHistoryLimit: count().describe("Jobs kept that failed. Default: 1"),
    })
    .describe("What is run, when, and what becomes of runs that overlap, fail or are late"),
  status: z
    .object({
      observedGeneration: z.int().optional().describe("The generation of the spec that this status is about"),
      active: z.int32().optional().describe("Runs under way"),
      suspended: z.boolean().optional().describe("Whether spec.suspend is in effect"),
      lastScheduleTime: instant.optional().describe("When the last run that was started was due"),
      lastSuccessfulTime: instant.optional().describe("When a run last succeeded"),
      handledUntil: instant
        .optional()
        .describe("Every run due up to this moment was started, skipped or missed"),
      lastRunNow: z.string().optional().describe("The run-now annotation that was last carried out"),
      nextRun: instant.optional().describe("When the next run is due; absent when there is none"),
      missed: z.int32().optional().describe("Runs that could not be started in time"),
      skipped: z.int32().optional().describe("Runs that were not started because of others under way"),
      failed: z.int32().optional().describe("Runs that failed"),
      failedJobs: z.array(z.string()).optional().describe("Jobs that are counted as failed and still there"),
      conditions: conditions().describe(
        "Ready: runs are started when they are due. Degraded: the last run failed, or was not started",
      ),
    })
    .describe("Which runs were started, missed or failed, and which is next"),
  columns: {
    Schedule: ".spec.cronSpec",
    Image: ".spec.image",
    Suspended: ".status.suspended",
    Active: ".status.active",
    "Last Schedule": ".status.lastScheduleTime",
    "Next Run": ".status.nextRun",
    Failed: { path: ".status.failed", priority: 1 },
    Missed: { path: ".status.missed", priority: 1 },
  },
});

export type CronTab = ObjectOf<typeof CronTab>;
