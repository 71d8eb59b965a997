// Starts Jobs by the clock, and keeps as many finished ones as its history says.
import {
  CronJob,
  controllerReference,
  deepEqual,
  findCondition,
  formatTime,
  isAlreadyExists,
  isNotFound,
  Job,
  type ObjectReference,
} from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { ChildrenIndex } from "../../workload/children-index.js";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import { controllerKey } from "../../workload/owner-keys.js";
import type { BuiltInController, ControllerEnvironment } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { dueTimes } from "./due-times.js";
import { Schedule } from "./schedule.js";

export const cronJobController: BuiltInController = {
  name: "cronjob",
  start: (environment) => new CronJobs(environment).start(),
};

const finishedAs = ({ status }: Job): "Complete" | "Failed" | undefined =>
  (["Complete", "Failed"] as const).find(
    (type) => findCondition(status?.conditions, type)?.status === "True",
  );
const startOf = ({ status, metadata }: Job): string => status?.startTime ?? metadata?.creationTimestamp ?? "";

class CronJobs {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #loop: SyncLoop;
  readonly #crons: StoreReader<CronJob>;
  readonly #jobs: ChildrenIndex<Job>;

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("cronjob-controller");
    this.#loop = new SyncLoop(environment, { name: "cronjob", sync: (key) => this.#sync(key) });
    this.#crons = this.#loop.watch(CronJob, ({ key }) => [key]);
    this.#jobs = new ChildrenIndex(
      this.#loop.watch(Job, ({ previous, current }) =>
        [previous, current].flatMap((job) => (job && controllerKey(CronJob, job)) ?? []),
      ),
    );
  }

  start(): Promise<SyncLoop> {
    return this.#loop.start();
  }

  async #sync(key: string): Promise<number | undefined> {
    const cron = this.#crons.get(key);
    if (!cron || cron.metadata?.deletionTimestamp) return undefined;
    await this.#cleanUp(cron);
    const schedule = this.#scheduleOf(cron);
    const now = this.#environment.clock.now();
    const { due, next } = schedule ? dueTimes(cron, schedule, now) : { due: undefined, next: undefined };
    const isDue = due !== undefined && !cron.spec?.suspend;
    const started = isDue ? await this.#run(cron, due) : undefined;
    await this.#tell(cron, started);
    return next === undefined || cron.spec?.suspend ? undefined : Math.max(1, next - now);
  }

  #scheduleOf(cron: CronJob): Schedule | undefined {
    try {
      return new Schedule(cron.spec?.schedule ?? "", cron.spec?.timeZone);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#events.warning(CronJob, cron, "UnparseableSchedule", `unparseable schedule: ${message}`);
      return undefined;
    }
  }

  /** Starts the run for a time, if others that go on allow it; returns the time when it is used up. */
  async #run(cron: CronJob, due: number): Promise<number | undefined> {
    const active = this.#active(cron);
    const policy = cron.spec?.concurrencyPolicy ?? "Allow";
    if (policy === "Forbid" && active.length > 0) {
      const why = "Not starting job because prior execution is running and concurrency policy is Forbid";
      this.#events.normal(CronJob, cron, "JobAlreadyActive", why);
      return undefined;
    }
    if (policy === "Replace") for (const job of active) await this.#delete(cron, job);
    const job = jobAt(cron, due);
    try {
      await this.#environment.client.create(Job, job);
      this.#events.normal(CronJob, cron, "SuccessfulCreate", `Created job ${job.metadata?.name}`);
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      if (!isAlreadyExists(error)) throw error;
    }
    return due;
  }

  #active(cron: CronJob): readonly Job[] {
    return this.#jobs.of(cron).filter((job) => !finishedAs(job) && !job.metadata?.deletionTimestamp);
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

  async #tell(cron: CronJob, started: number | undefined): Promise<void> {
    const active = this.#active(cron);
    this.#tellFinished(cron);
    const ends = this.#jobs.of(cron).flatMap(({ status }) => status?.completionTime ?? []);
    const lastSuccessfulTime = [...ends, cron.status?.lastSuccessfulTime ?? ""].toSorted().at(-1);
    const lastScheduleTime = started === undefined ? cron.status?.lastScheduleTime : formatTime(started);
    const status = {
      ...(active.length > 0
        ? { active: active.map((job) => knownReference(cron, job) ?? referenceTo(job)) }
        : {}),
      ...(lastScheduleTime ? { lastScheduleTime } : {}),
      ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
    };
    if (deepEqual(status, cron.status ?? {})) return;
    await this.#environment.client.update(CronJob, { ...cron, status }, { subresource: "status" });
  }

  #tellFinished(cron: CronJob): void {
    for (const { uid, name } of cron.status?.active ?? []) {
      const job = this.#jobs.of(cron).find(({ metadata }) => metadata?.uid === uid);
      const outcome = job && finishedAs(job);
      if (outcome)
        this.#events.normal(
          CronJob,
          cron,
          "SawCompletedJob",
          `Saw completed job: ${name}, condition: ${outcome}`,
        );
    }
  }
}

/** The Job for a time; its name follows from the time, so that a time is used once. */
function jobAt(cron: CronJob, time: number): Job {
  const { metadata, spec } = cron.spec?.jobTemplate ?? {};
  const scheduled = { "batch.kubernetes.io/cronjob-scheduled-timestamp": formatTime(time) };
  return {
    metadata: {
      name: `${cron.metadata?.name}-${Math.floor(time / 60_000)}`,
      namespace: cron.metadata?.namespace,
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      annotations: { ...metadata?.annotations, ...scheduled },
      ownerReferences: [controllerReference(cron, { kind: CronJob })],
    },
    ...(spec ? { spec } : {}),
  };
}

/** A reference is of the Job as it was when it was started; what becomes of it since is no news. */
function knownReference({ status }: CronJob, { metadata }: Job): ObjectReference | undefined {
  return status?.active?.find(({ uid }) => uid === metadata?.uid);
}

function referenceTo({ metadata }: Job): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata ?? {};
  return { apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion };
}
