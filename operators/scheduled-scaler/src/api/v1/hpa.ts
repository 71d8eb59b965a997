// A timetable for the size of something: at these times, so many replicas.
import type { ObjectOf } from "@kubewright/api";
import { conditions, defineResource, rule, z } from "@kubewright/schema";

const instant = z.string().max(40);
const timeZone = z.string().min(1).max(64);

const job = z.object({
  name: z.string().min(1).max(63).describe("Names the job in status and events; unique in its list"),
  schedule: z
    .string()
    .min(1)
    .max(500)
    .describe("When: 5 or 6 cron fields, @hourly and the like, @every 10m, or @date 2026-12-24 18:00"),
  size: z.int32().min(0).describe("How many replicas from then on"),
  timeZone: timeZone.optional().describe("Where the schedule's clock hangs; that of the whole unless given"),
  runOnce: z.boolean().optional().describe("Is done after its first run"),
});

const spec = z
  .object({
    scaleTarget: z
      .object({
        apiVersion: z.string().min(1).max(300),
        kind: z.string().min(1).max(63),
        name: z.string().min(1).max(253),
      })
      .describe("What is scaled: anything with a scale subresource, or a HorizontalPodAutoscaler"),
    jobs: z
      .array(job)
      .max(100)
      .describe("Of several jobs due at the same moment the last in the list counts"),
    timeZone: timeZone.optional().describe("Time zone of the schedules; UTC unless given"),
    suspend: z.boolean().optional().describe("Rests while true; what falls due meanwhile is not made up for"),
    excludeDates: z
      .array(z.string().min(1).max(100))
      .max(100)
      .optional()
      .describe("Days of rest: 2026-12-25, 2026-12-24..2026-12-26, or the days of a cron expression"),
    startingDeadlineSeconds: z
      .int32()
      .min(1)
      .optional()
      .describe("A run that could not be carried out for so long is missed; no limit unless given"),
    minSize: z.int32().min(0).optional().describe("No job makes it smaller"),
    maxSize: z.int32().min(0).optional().describe("No job makes it larger"),
    historyLimit: z.int32().min(0).max(100).optional().describe("Past runs kept in status; 10 unless given"),
  })
  .check(
    rule("!has(self.minSize) || !has(self.maxSize) || self.minSize <= self.maxSize", {
      message: "minSize must not exceed maxSize",
    }),
  );

const jobStatus = z.object({
  name: z.string(),
  schedule: z.string().describe("As it was when the rest of this was said"),
  timeZone: z.string(),
  size: z.int32(),
  state: z.enum(["Scheduled", "Suspended", "Completed", "Finished", "Invalid"]),
  message: z.string().optional().describe("What is wrong with it"),
  since: instant.optional().describe("Runs before this are not its"),
  lastRun: instant.optional().describe("The moment its last run was due"),
  lastResult: z.string().optional(),
  missed: z.int32().optional().describe("Runs that were due and not carried out"),
  nextRun: instant.optional(),
});

const run = z.object({
  time: instant.describe("When it was due"),
  job: z.string(),
  result: z.string(),
  from: z.int32().optional(),
  to: z.int32(),
  message: z.string().optional(),
});

export const Hpa = defineResource({
  group: "autoscal.aiops.org",
  version: "v1",
  kind: "Hpa",
  plural: "hpas",
  singular: "scheduledhpa",
  shortNames: ["shpa"],
  spec,
  status: z.object({
    observedGeneration: z.int().optional(),
    target: z.string().optional(),
    currentSize: z
      .int32()
      .optional()
      .describe("How many replicas the target wanted when it was last looked at"),
    suspended: z.boolean().optional(),
    handledUntil: instant.optional().describe("Every run due up to this moment is dealt with"),
    nextJob: z.string().optional(),
    nextRun: instant.optional(),
    jobs: z.array(jobStatus).optional(),
    upcoming: z
      .array(z.object({ time: instant, job: z.string(), size: z.int32() }))
      .optional()
      .describe("The next few runs"),
    history: z.array(run).optional().describe("Past runs, the newest first"),
    conditions: conditions(),
  }),
  columns: {
    Target: ".status.target",
    Current: ".status.currentSize",
    "Next Job": ".status.nextJob",
    "Next Run": ".status.nextRun",
    Suspended: ".status.suspended",
  },
});

export type Hpa = ObjectOf<typeof Hpa>;
export type Job = Hpa["spec"]["jobs"][number];
export type JobStatus = z.infer<typeof jobStatus>;
export type PastRun = z.infer<typeof run>;
