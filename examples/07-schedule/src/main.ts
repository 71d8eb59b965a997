// Work at times of day, in a time zone, exactly once for each time, also across restarts.
import { Job, type ObjectOf } from "@kubewright/api";
import { defineController, defineManager } from "@kubewright/runtime";
import { clockJumps, ScheduleError, Schedules } from "@kubewright/runtime/schedule";
import { conditions, defineResource, z } from "@kubewright/schema";

export const Backup = defineResource({
  group: "examples.kubewright.dev",
  version: "v1",
  kind: "Backup",
  spec: z.object({
    schedule: z.string().min(1).describe('"30 2 * * *", "@daily", "@every 10m"'),
    timeZone: z.string().default("UTC"),
    image: z.string().default("registry.example.com/backup:1"),
  }),
  status: z.object({
    lastRun: z.iso.datetime().optional(),
    nextRun: z.iso.datetime().optional(),
    conditions: conditions(),
  }),
  // A string, since kubectl prints a date as an age, and one to come as <invalid>.
  columns: { Schedule: ".spec.schedule", "Next Run": { path: ".status.nextRun", type: "string" } },
});
type Backup = ObjectOf<typeof Backup>;

const schedules = new Schedules(); // parsed schedules and time zones are kept: most objects share a few

const backupController = defineController(Backup, {
  owns: [Job],
  sources: [clockJumps()], // when somebody sets the clock, due times are computed again
  async reconcile(backup, ctx) {
    const { schedule, timeZone } = backup.spec;
    const created = Date.parse(backup.metadata.creationTimestamp ?? "");
    const plan = parse(schedule, timeZone, created);
    if (plan instanceof ScheduleError)
      return ctx.status({ nextRun: undefined, conditions: [invalid(plan.message)] });
    const last = Date.parse(backup.status?.lastRun ?? "") || created;
    const due = plan.previous(ctx.now() + 1); // the latest time that has come; earlier missed ones are skipped
    const next = plan.next(ctx.now());
    if (next !== undefined) ctx.requeueAt(next); // from here on, also if the rest fails
    const isDue = due !== undefined && due > last;
    if (isDue) await ctx.create(Job, jobFor(backup), { once: String(due) }); // one Job for each time, whatever crashes
    return ctx.status({
      ...(isDue && { lastRun: text(due) }),
      nextRun: next === undefined ? undefined : text(next),
      conditions: [{ type: "Ready", status: "True", reason: "Scheduled", message: schedule }],
    });
  },
});

function parse(schedule: string, timeZone: string, anchor: number) {
  try {
    return schedules.parse(schedule, { timeZone, anchor });
  } catch (error) {
    if (error instanceof ScheduleError) return error;
    throw error;
  }
}

const text = (time: number) => new Date(time).toISOString();
const invalid = (message: string) =>
  ({ type: "Ready", status: "False", reason: "InvalidSchedule", message }) as const;

function jobFor({ metadata: { name = "" }, spec }: Backup): Job {
  const containers = [{ name: "backup", image: spec.image, command: ["true"] }];
  return {
    metadata: { generateName: `${name}-` },
    spec: { template: { spec: { restartPolicy: "Never", containers } } },
  };
}

export default defineManager({ name: "backup", controllers: [backupController] });
