// A timetable for the size of something: at these times, so many replicas.
//
// The kind is called Hpa, as in the note it comes from. It is not the HorizontalPodAutoscaler, which kubectl calls hpa: that one
// scales by load, this one by the clock, and where both are there, this one moves the bounds of the other.
import type { ObjectOf } from "@kubewright/api";
import { conditions, defineResource, rule, z } from "@kubewright/schema";

const instant = z.string().max(40);
const timeZone = z.string().min(1).max(64);
const when = "5 or 6 cron fields, @hourly and the like, @every 10m, or @date 2026-12-24 18:00";

const level = {
  size: z
    .int32()
    .min(0)
    .optional()
    .describe("How many replicas from then on; where an autoscaler scales the target, its lower bound"),
  minReplicas: z
    .int32()
    .min(1)
    .optional()
    .describe(
      "Lower bound of the target's HorizontalPodAutoscaler; without one, the target has at least so many",
    ),
  maxReplicas: z
    .int32()
    .min(1)
    .optional()
    .describe(
      "Upper bound of the target's HorizontalPodAutoscaler; without one, the target has at most so many",
    ),
};

const job = z
  .object({
    name: z.string().min(1).max(63).describe("Names the job in status and events; unique in its list"),
    schedule: z.string().min(1).max(500).optional().describe(`From when on: ${when}`),
    start: z.string().min(1).max(500).optional().describe("When a window begins, in place of schedule"),
    end: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe("When the window ends; what was in force before it is in force again"),
    ...level,
    timeZone: timeZone.optional().describe("Time zone of the schedules. Default: that of the timetable"),
    runOnce: z.boolean().optional().describe("Is done after its first run"),
  })
  .check(
    rule("has(self.schedule) != has(self.start)", {
      message: "a job has either a schedule, or start and end",
    }),
    rule("has(self.start) == has(self.end)", { message: "start and end go together" }),
    rule("has(self.size) || has(self.minReplicas) || has(self.maxReplicas)", {
      message: "a job needs a size, minReplicas or maxReplicas",
    }),
    rule("!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas", {
      message: "minReplicas must not exceed maxReplicas",
    }),
  );

const spec = z
  .object({
    scaleTarget: z
      .object({
        apiVersion: z.string().min(1).max(300).describe("API version of the target, such as apps/v1"),
        kind: z.string().min(1).max(63).describe("Kind of the target, such as Deployment"),
        name: z.string().min(1).max(253).describe("Name of the target, in the same namespace"),
      })
      .describe("What is scaled: anything with a scale subresource, or a HorizontalPodAutoscaler"),
    jobs: z
      .array(job)
      .max(100)
      .describe("A window goes before schedules; of jobs due at the same moment the last in the list counts"),
    timeZone: timeZone.optional().describe("Time zone of the schedules. Default: UTC"),
    enforce: z
      .enum(["Always", "AtStart"])
      .optional()
      .describe("Whether a size holds until the next run, or is set only when it is due. Default: Always"),
    catchUpPolicy: z
      .enum(["Latest", "None"])
      .optional()
      .describe(
        "What becomes of runs that fell due before the timetable was created or resumed, or without an operator: the latest takes effect, or none. Default: Latest",
      ),
    suspend: z
      .boolean()
      .optional()
      .describe("Changes nothing while true; autoscalers have their own bounds back"),
    calendars: z
      .array(z.string().min(1).max(253))
      .max(20)
      .optional()
      .describe("Names of HolidayCalendars, whose days are days of rest"),
    excludeDates: z
      .array(z.string().min(1).max(100))
      .max(100)
      .optional()
      .describe("Days of rest: 2026-12-25, 2026-12-24..2026-12-26, or the days of a cron expression"),
    startingDeadlineSeconds: z
      .int32()
      .min(1)
      .optional()
      .describe("A run that could not be carried out for so long is missed. Default: no limit"),
    minSize: z.int32().min(0).optional().describe("No job makes it smaller"),
    maxSize: z.int32().min(0).optional().describe("No job makes it larger"),
    historyLimit: z.int32().min(0).max(100).optional().describe("Past runs kept in status. Default: 10"),
  })
  .check(
    rule("!has(self.minSize) || !has(self.maxSize) || self.minSize <= self.maxSize", {
      message: "minSize must not exceed maxSize",
    }),
  )
  .describe("What is scaled, to which sizes, and when");

const reached = {
  size: z.int32().optional().describe("Replicas that the target gets"),
  minReplicas: z.int32().optional().describe("Lower bound that the target gets"),
  maxReplicas: z.int32().optional().describe("Upper bound that the target gets"),
};

const jobStatus = z.object({
  name: z.string().describe("Name of the job in spec.jobs"),
  schedule: z.string().describe("As it was when the rest of this was written; start and end of a window"),
  timeZone: z.string().describe("Time zone in which the schedule is read"),
  ...reached,
  state: z
    .enum(["Scheduled", "Active", "Suspended", "Completed", "Finished", "Invalid"])
    .describe("Whether it waits for its time, is in force, is suspended, has no further run, or is invalid"),
  message: z.string().optional().describe("What is wrong with it"),
  since: instant.optional().describe("Missed runs are counted from here"),
  lastRun: instant.optional().describe("When its last run was due"),
  lastResult: z.string().optional().describe("Scaled, Unchanged, Superseded or Missed"),
  missed: z.int32().optional().describe("Runs that were due and not carried out"),
  nextRun: instant.optional().describe("When its next run is due; absent when there is none"),
});

const run = z.object({
  time: instant.describe("When it was due"),
  job: z.string().describe("Name of the job in spec.jobs"),
  result: z.string().describe("Scaled, Unchanged, Superseded or Missed"),
  from: z.int32().optional().describe("Replicas before the run"),
  to: z.int32().optional().describe("Replicas after the run"),
  message: z.string().optional().describe("Why the run was missed or superseded"),
});

const upcomingRun = z.object({
  time: instant.describe("When it is due"),
  job: z.string().describe("Name of the job in spec.jobs"),
  ...reached,
  ends: z.boolean().optional().describe("A window ends"),
});

export const Hpa = defineResource({
  group: "autoscal.aiops.org",
  version: "v1",
  kind: "Hpa",
  plural: "hpas",
  singular: "scheduledhpa",
  shortNames: ["shpa"],
  spec,
  status: z
    .object({
      observedGeneration: z.int().optional().describe("The generation of the spec that this status is about"),
      target: z.string().optional().describe("Kind and name of what is scaled"),
      currentSize: z.int32().optional().describe("How many replicas the target wants, as observed"),
      activeJob: z.string().optional().describe("The job whose size is in force"),
      suspended: z.boolean().optional().describe("Whether spec.suspend is in effect"),
      handledUntil: instant.optional().describe("Every run due up to this moment is dealt with"),
      sizeBefore: z
        .int32()
        .optional()
        .describe("What the target had before a window; it comes back with its end"),
      restored: z
        .int32()
        .optional()
        .describe("How often in a row others changed the size and it was put back"),
      lastRestoreTime: instant.optional().describe("When the size was last put back"),
      nextJob: z.string().optional().describe("The job that is due next"),
      nextRun: instant.optional().describe("When it is due; absent when no run is to come"),
      jobs: z.array(jobStatus).optional().describe("The state of each job"),
      upcoming: z.array(upcomingRun).optional().describe("The next few runs"),
      history: z.array(run).optional().describe("Past runs, the newest first"),
      conditions: conditions().describe(
        "Ready: the target exists and every job is valid. Conflicting: others change the size of the target",
      ),
    })
    .describe("What is in force now, what was done, and what is due next"),
  columns: {
    Target: ".status.target",
    Current: ".status.currentSize",
    "Next Job": ".status.nextJob",
    "Next Run": ".status.nextRun",
    Suspended: ".status.suspended",
    Active: { path: ".status.activeJob", priority: 1 },
  },
});

export type Hpa = ObjectOf<typeof Hpa>;
export type Job = Hpa["spec"]["jobs"][number];
export type JobStatus = z.infer<typeof jobStatus>;
export type PastRun = z.infer<typeof run>;
export type UpcomingRun = z.infer<typeof upcomingRun>;
