// A command that is run at certain times: at each one, so many pods of an image, to completion.
import type { ObjectOf } from "@kubewright/api";
import { conditions, defineResource, kube, z } from "@kubewright/schema";

const instant = z.string().max(40);

// Nothing here has a default: objects of a definition that knows only cronSpec, image and replicas are as good.
export const CronTab = defineResource({
  group: "stable.example.com",
  version: "v1",
  kind: "CronTab",
  plural: "crontabs",
  shortNames: ["ct"],
  spec: z.object({
    cronSpec: z
      .string()
      .max(500)
      .describe("When: 5 or 6 cron fields, @hourly and the like, @every 10m, or @date 2026-12-24 18:00"),
    image: z.string().describe("Container image to run"),
    replicas: z.int32().min(0).optional().describe("How many pods at each time; 1 unless given"),
    command: z.array(z.string()).optional().describe("In place of the image's own entry point"),
    args: z.array(z.string()).optional(),
    env: kube.listMap(kube.EnvVar, ["name"]).optional(),
    resources: kube.ResourceRequirements.optional(),
    timeZone: z.string().max(64).optional().describe("Time zone of cronSpec; UTC unless given"),
    concurrencyPolicy: z
      .enum(["Allow", "Forbid", "Replace"])
      .optional()
      .describe("What becomes of a run that is due while one is under way; both run unless given"),
    suspend: z
      .boolean()
      .optional()
      .describe("Starts nothing while true; what falls due meanwhile is skipped"),
    startingDeadlineSeconds: z
      .int32()
      .min(1)
      .optional()
      .describe("A run that could not be started for so long is missed; 60 unless given"),
    successfulJobsHistoryLimit: z
      .int32()
      .min(0)
      .optional()
      .describe("Jobs kept that succeeded; 3 unless given"),
    failedJobsHistoryLimit: z.int32().min(0).optional().describe("Jobs kept that failed; 1 unless given"),
  }),
  status: z.object({
    observedGeneration: z.int().optional(),
    active: z.int32().optional().describe("Runs under way"),
    suspended: z.boolean().optional(),
    lastScheduleTime: instant.optional().describe("When the last run that was dealt with was due"),
    lastSuccessfulTime: instant.optional(),
    nextRun: instant.optional(),
    missed: z.int32().optional().describe("Runs that could not be started in time"),
    skipped: z.int32().optional().describe("Runs that were not started because one was under way"),
    conditions: conditions(),
  }),
  columns: {
    Schedule: ".spec.cronSpec",
    Image: ".spec.image",
    Suspended: ".status.suspended",
    Active: ".status.active",
    "Last Schedule": ".status.lastScheduleTime",
    "Next Run": ".status.nextRun",
  },
});

export type CronTab = ObjectOf<typeof CronTab>;
