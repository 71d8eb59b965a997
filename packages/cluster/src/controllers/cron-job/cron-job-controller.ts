// Starts Jobs by the clock, and keeps as many finished ones as its history says.
import {
  CronJob,
  deepEqual,
  formatTime,
  getControllerOf,
  isAlreadyExists,
  isControlledBy,
  isNotFound,
  Job,
} from "@kubewright/api";
import type { ObjectChange, StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { ChildrenIndex } from "../../workload/children-index.js";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import { controllerKey } from "../../workload/owner-keys.js";
import { serverMessage } from "../../workload/server-message.js";
import type { ControllerEnvironment } from "../controller.js";
import { type Syncing, syncController } from "../sync-controller.js";
import type { SyncLoop } from "../sync-loop.js";
import { dueTimes, maxMissedTimes } from "./due-times.js";
import { parseSchedule, type Schedule } from "./schedule.js";
import { finishedAs, jobAt, referenceTo } from "./scheduled-jobs.js";

export const cronJobController = syncController(
  "cronjob",
  (loop, environment) => new CronJobs(loop, environment),
);

const startOf = ({ status, metadata }: Job): string => status?.startTime ?? metadata?.creationTimestamp ?? "";

const tooManyMissed =
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";

/** Kubernetes' message for a schedule that never comes, such as the 30th of February. */
const never = "time difference between two schedules is less than 1 second";

const unsupportedZone = (schedule: string): string =>
  `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`;

/** A Job that was started, and the time it was started for. */
interface Run {
  readonly due: number;
  readonly job: Job;
}

/** How a Job gets on is for the Job controller; what matters here is that it is there, ends, or goes. */
function isNews({ previous, current }: ObjectChange<Job>): boolean {
  return (
    !previous ||
    !current ||
    finishedAs(previous) !== finishedAs(current) ||
    previous.metadata?.deletionTimestamp !== current.metadata?.deletionTimestamp ||
    getControllerOf(previous)?.uid !== getControllerOf(current)?.uid
  );
}

class CronJobs implements Syncing {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #loop: SyncLoop;
  readonly #crons: StoreReader<CronJob>;
  readonly #jobs: ChildrenIndex<Job>;
  /** The last schedule of each CronJob, as text and parsed. */
  readonly #schedules = new Map<string, { readonly text: string; readonly schedule: Schedule }>();

  constructor(loop: SyncLoop, environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("cronjob-controller");
    this.#loop = loop;
    this.#crons = loop.watch(CronJob, ({ key }) => [key]);
    this.#jobs = new ChildrenIndex(
      loop.watch(Job, (change) =>
        isNews(change)
          ? [change.previous, change.current].flatMap((job) => (job && controllerKey(CronJob, job)) ?? [])
          : [],
      ),
    );
  }

  async sync(key: string): Promise<number | undefined> {
    const cron = this.#crons.get(key);
    if (!cron || cron.metadata?.deletionTimestamp) {
      this.#schedules.delete(key);
      return undefined;
    }
    this.#recordChanges(cron);
    await this.#cleanUp(cron);
    const schedule = this.#scheduleOf(key, cron);
    const now = this.#environment.clock.now();
    if (!schedule || cron.spec?.suspend) return this.#writeStatus(cron, undefined);
    const text = cron.spec?.schedule ?? "";
    if (text.includes("TZ")) this.#warn(cron, "UnsupportedSchedule", unsupportedZone(text));
    const { due, next, missed } = dueTimes(cron, schedule, now);
    if (next === undefined) this.#warn(cron, "InvalidSchedule", `invalid schedule: ${text} : ${never}`);
    if (missed > maxMissedTimes) this.#warn(cron, "TooManyMissedTimes", tooManyMissed);
    const started = due === undefined ? undefined : await this.#run(cron, due);
    await this.#writeStatus(cron, started);
    return next === undefined ? undefined : Math.max(1, next - now);
  }

  #scheduleOf(key: string, cron: CronJob): Schedule | undefined {
    const { schedule = "", timeZone } = cron.spec ?? {};
    const text = `${timeZone} ${schedule}`;
    const known = this.#schedules.get(key);
    if (known?.text === text) return known.schedule;
    try {
      const parsed = parseSchedule(schedule, timeZone);
      this.#schedules.set(key, { text, schedule: parsed });
      return parsed;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof RangeError)
        this.#warn(cron, "UnknownTimeZone", `invalid timeZone: "${timeZone}": unknown time zone ${timeZone}`);
      else this.#warn(cron, "UnparseableSchedule", `unparseable schedule: "${schedule}" : ${message}`);
      return undefined;
    }
  }

  /** Starts the run for a time, if others that go on allow it; returns the time when it is used up. */
  async #run(cron: CronJob, due: number): Promise<Run | undefined> {
    const active = this.#active(cron);
    const policy = cron.spec?.concurrencyPolicy ?? "Allow";
    if (policy === "Forbid" && active.length > 0) {
      const why = "Not starting job because prior execution is running and concurrency policy is Forbid";
      this.#events.normal(CronJob, cron, "JobAlreadyActive", why);
      return undefined;
    }
    if (policy === "Replace") for (const job of active) await this.#delete(cron, job);
    const job = await this.#create(cron, jobAt(cron, due));
    return job && { due, job };
  }

  /** Undefined when there can be none for this time, or it is somebody else's. */
  async #create(cron: CronJob, job: Job): Promise<Job | undefined> {
    const { name = "", namespace } = job.metadata ?? {};
    try {
      const created = await this.#environment.client.create(Job, job);
      this.#events.normal(CronJob, cron, "SuccessfulCreate", `Created job ${name}`);
      return created;
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      if (!isAlreadyExists(error)) {
        this.#warn(cron, "FailedCreate", `Error creating job: ${serverMessage(error)}`);
        throw error;
      }
      // It was made before, and the status not written.
      const known = await this.#environment.client.live.get(Job, name, { namespace });
      return isControlledBy(known, cron) ? known : undefined;
    }
  }

  #warn(cron: CronJob, reason: string, message: string): void {
    this.#events.warning(CronJob, cron, reason, message);
  }

  /** Its active Jobs; Jobs that it did not create itself do not count. */
  #active(cron: CronJob): readonly Job[] {
    const known = new Set(cron.status?.active?.map(({ uid }) => uid));
    return this.#jobs
      .of(cron)
      .filter((job) => known.has(job.metadata?.uid) && !finishedAs(job) && !job.metadata?.deletionTimestamp);
  }

  async #delete(cron: CronJob, { metadata }: Job): Promise<void> {
    const { name = "", namespace, uid } = metadata ?? {};
    try {
      const propagationPolicy = "Background";
      await this.#environment.client.delete(Job, name, {
        namespace,
        preconditions: { uid },
        propagationPolicy,
      });
      this.#events.normal(CronJob, cron, "SuccessfulDelete", `Deleted job ${name}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Removes finished Jobs beyond the history, oldest first. */
  async #cleanUp(cron: CronJob): Promise<void> {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cron.spec ?? {};
    const limits = { Complete: successfulJobsHistoryLimit, Failed: failedJobsHistoryLimit };
    for (const outcome of ["Complete", "Failed"] as const) {
      const finished = this.#jobs
        .of(cron)
        .filter((job) => finishedAs(job) === outcome && !job.metadata?.deletionTimestamp)
        .toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1));
      for (const job of finished.slice(0, Math.max(0, finished.length - limits[outcome])))
        await this.#delete(cron, job);
    }
  }

  async #writeStatus(cron: CronJob, started: Run | undefined): Promise<undefined> {
    const running = new Set(this.#active(cron).map(({ metadata }) => metadata?.uid));
    const kept = (cron.status?.active ?? []).filter(({ uid }) => running.has(uid));
    const isKept = kept.some(({ uid }) => uid === started?.job.metadata?.uid);
    const active = started && !isKept ? [...kept, referenceTo(started.job)] : kept;
    const ends = this.#jobs.of(cron).flatMap(({ status }) => status?.completionTime ?? []);
    const lastSuccessfulTime = [...ends, cron.status?.lastSuccessfulTime ?? ""].toSorted().at(-1);
    const lastScheduleTime = started ? formatTime(started.due) : cron.status?.lastScheduleTime;
    const status = {
      ...(active.length > 0 ? { active } : {}),
      ...(lastScheduleTime ? { lastScheduleTime } : {}),
      ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
    };
    if (!deepEqual(status, cron.status ?? {})) await this.#loop.writeStatus(CronJob, cron, status);
  }

  /** Jobs that have ended, that are gone, and that nobody expected. */
  #recordChanges(cron: CronJob): void {
    const jobs = new Map(this.#jobs.of(cron).map((job) => [job.metadata?.uid, job]));
    const active = new Set<string | undefined>();
    for (const { uid, name } of cron.status?.active ?? []) {
      active.add(uid);
      const job = jobs.get(uid);
      const outcome = job && finishedAs(job);
      if (outcome) this.#say(cron, "SawCompletedJob", `Saw completed job: ${name}, condition: ${outcome}`);
      if (!job) this.#say(cron, "MissingJob", `Active job went missing: ${name}`);
    }
    for (const [uid, job] of jobs) {
      if (active.has(uid) || finishedAs(job) || job.metadata?.deletionTimestamp) continue;
      const message = `Saw a job that the controller did not create or forgot: ${job.metadata?.name}`;
      this.#warn(cron, "UnexpectedJob", message);
    }
  }

  #say(cron: CronJob, reason: string, message: string): void {
    this.#events.normal(CronJob, cron, reason, message);
  }
}
