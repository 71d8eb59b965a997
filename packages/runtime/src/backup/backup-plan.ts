// Backups at certain times: which one is due, which are surplus, and whether they succeed. There is one backup object for each time, named
// after it, so that no time has two.
import { type Schedule, ScheduleError, Schedules } from "../schedule/index.js";

const defaultKept = 7;
/** A backup is overdue when none has succeeded this long after one was due, in milliseconds. */
const patience = 3_600_000;
const schedules = new Schedules();

/** A backup object, as far as a plan looks at it. */
export interface ScheduledBackup {
  readonly metadata: { readonly name?: string | undefined };
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly completionTime?: string | undefined;
        readonly message?: string | undefined;
        readonly size?: number | undefined;
      }
    | undefined;
}

/** What a plan is made from. */
export interface BackupPlanInput<T extends ScheduledBackup> {
  /** The object that is backed up. */
  readonly name: string;
  readonly schedule: string;
  readonly timeZone?: string | undefined;
  /** Default: 7. */
  readonly keep?: number | undefined;
  /** When the object was made, in milliseconds since 1970. */
  readonly created: number;
  readonly now: number;
  /** Every backup of this schedule. */
  readonly backups: readonly T[];
}

/** The backups of a schedule, as a status and its conditions show them. */
export interface BackupState {
  readonly lastBackup: string | undefined;
  readonly lastBackupTime: string | undefined;
  /** In bytes. */
  readonly lastBackupSize: number | undefined;
  /** When the next one is due, in milliseconds since 1970. */
  readonly next: number | undefined;
  /** Backups that have failed since the last one that succeeded. */
  readonly failures: number;
  readonly isOverdue: boolean;
  readonly message: string;
}

/** What to do about the backups of a schedule. */
export interface BackupPlan<T extends ScheduledBackup> {
  /** The name of the backup that is due; of several that were missed the latest. */
  readonly due: string | undefined;
  /** Those beyond the number kept. */
  readonly surplus: readonly T[];
  readonly state: BackupState;
}

/** How the names of the backups of a schedule begin, and those of their files. */
export const scheduledPrefix = (name: string): string => `${name}-scheduled-`;

/** How many files of a schedule its store keeps. */
export const retentionOf = (name: string, keep: number | undefined) => ({
  prefix: scheduledPrefix(name),
  keep: keep ?? defaultKept,
});

/** Plans the backups of a schedule; a text that says why the schedule cannot be read. */
export function planBackups<T extends ScheduledBackup>(input: BackupPlanInput<T>): BackupPlan<T> | string {
  const schedule = read(input);
  if (typeof schedule === "string") return schedule;
  const { name, created, now, keep = defaultKept } = input;
  const backups = input.backups.toSorted((a, b) => timeOf(b) - timeOf(a));
  const due = latestDue(schedule, backups[0] ? timeOf(backups[0]) : created, now);
  const ended = backups.filter(({ status }) => status?.phase === "Succeeded" || status?.phase === "Failed");
  return {
    due: due === undefined ? undefined : `${scheduledPrefix(name)}${stampOf(due)}`,
    surplus: ended.slice(keep),
    state: stateOf(schedule, backups, created, now),
  };
}

function read({ schedule, timeZone, created }: BackupPlanInput<ScheduledBackup>): Schedule | string {
  try {
    return schedules.parse(schedule, { timeZone, anchor: created });
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

function latestDue(schedule: Schedule, after: number, now: number): number | undefined {
  let due: number | undefined;
  for (let at = schedule.next(after), count = 0; at !== undefined && at <= now && count < 10_000; count++) {
    due = at;
    at = schedule.next(at);
  }
  return due;
}

const stampOf = (time: number): string => new Date(time).toISOString().replaceAll(/[-:T]|\.\d{3}Z/g, "");

/** The time in a backup's name. */
function timeOf({ metadata }: ScheduledBackup): number {
  const [, y, mo, d, h, mi, s] =
    /-(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(metadata.name ?? "") ?? [];
  return Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s)) || 0;
}

function stateOf(
  schedule: Schedule,
  backups: readonly ScheduledBackup[],
  created: number,
  now: number,
): BackupState {
  const last = backups.findIndex(({ status }) => status?.phase === "Succeeded");
  const succeeded = backups[last];
  const due = schedule.next(succeeded ? timeOf(succeeded) : created);
  const isOverdue = due !== undefined && now > due + patience;
  const failed = (last === -1 ? backups : backups.slice(0, last)).filter(
    ({ status }) => status?.phase === "Failed",
  );
  const why = failed[0]?.status?.message ? `: ${failed[0].status.message}` : "";
  return {
    lastBackup: succeeded?.metadata.name,
    lastBackupTime: succeeded?.status?.completionTime,
    lastBackupSize: succeeded?.status?.size,
    next: schedule.next(now),
    failures: failed.length,
    isOverdue,
    message: isOverdue ? `no backup has succeeded for more than an hour after one was due${why}` : "",
  };
}
