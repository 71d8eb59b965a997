// Runs pods until enough of them have succeeded, or too many have failed.
import {
  deepEqual,
  findCondition,
  isAlreadyExists,
  isNotFound,
  Job,
  LabelMatcher,
  Pod,
} from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { ChildrenIndex } from "../../workload/children-index.js";
import { claimChildren } from "../../workload/claim-children.js";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import { ownerKeys } from "../../workload/owner-keys.js";
import type { BuiltInController, ControllerEnvironment } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { isIndexed, jobPod, trackingFinalizer } from "./job-pods.js";
import {
  freeIndexes,
  isOver,
  type JobProgress,
  jobProgress,
  type Verdict,
  verdictOf,
  wantedActive,
} from "./job-progress.js";
import { jobStatus } from "./job-status.js";

export const jobController: BuiltInController = {
  name: "job",
  start: (environment) => new Jobs(environment).start(),
};

/** After a failed pod the next one waits this long, and twice as long each time. */
const firstBackoff = 10_000;
const longestBackoff = 600_000;
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";

class Jobs {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #loop: SyncLoop;
  readonly #jobs: StoreReader<Job>;
  readonly #pods: ChildrenIndex<Pod>;
  /** Uids of pods that are in the status and still hold the finalizer. */
  readonly #counted = new Set<string>();

  constructor(environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("job-controller");
    this.#loop = new SyncLoop(environment, { name: "job", sync: (key) => this.#sync(key) });
    const jobs = this.#loop.watch(Job, ({ key }) => [key]);
    this.#jobs = jobs;
    this.#pods = new ChildrenIndex(this.#loop.watch(Pod, (change) => ownerKeys(Job, jobs, change)));
  }

  start(): Promise<SyncLoop> {
    return this.#loop.start();
  }

  async #sync(key: string): Promise<number | undefined> {
    const job = this.#jobs.get(key);
    if (!job || job.spec?.managedBy?.startsWith("kubernetes.io/job-controller") === false) return undefined;
    const pods = await this.#claim(job);
    if (isOver(job) || job.metadata?.deletionTimestamp) {
      for (const pod of pods) await this.#untrack(pod);
      return undefined;
    }
    const now = this.#environment.clock.now();
    const progress = jobProgress(job, pods, this.#counted);
    const verdict = verdictOf(job, progress, now);
    const wait = verdict ? 0 : this.#backoff(pods, progress, now);
    const active = await this.#manage(job, progress, verdict, wait);
    await this.#tell(job, progress, active, verdict, now);
    return soonest([wait, this.#untilDeadline(job, now)]);
  }

  #claim(job: Job): Promise<Pod[]> {
    return claimChildren({
      client: this.#environment.client,
      ownerKind: Job,
      owner: job,
      selector: LabelMatcher.from(job.spec?.selector),
      childKind: Pod,
      candidates: this.#pods.candidates(job),
    });
  }

  /** Creates or deletes pods; returns how many are active then. */
  async #manage(
    job: Job,
    progress: JobProgress,
    verdict: Verdict | undefined,
    wait: number,
  ): Promise<number> {
    const { active } = progress;
    const wanted = verdict ? 0 : wantedActive(job, progress);
    if (active.length > wanted) {
      const surplus = active.slice(wanted);
      for (const pod of surplus) await this.#delete(job, pod);
      return wanted;
    }
    if (active.length === wanted || wait > 0 || job.metadata?.deletionTimestamp) return active.length;
    const missing = wanted - active.length;
    const indexes = isIndexed(job)
      ? freeIndexes(job, progress, missing)
      : Array.from({ length: missing }, () => undefined);
    let created = 0;
    for (const index of indexes) if (await this.#create(job, index)) created++;
    return active.length + created;
  }

  async #create(job: Job, index: number | undefined): Promise<boolean> {
    try {
      const pod = await this.#environment.client.create(Pod, jobPod(job, index, this.#suffix()));
      this.#events.normal(Job, job, "SuccessfulCreate", `Created pod: ${pod.metadata?.name}`);
      return true;
    } catch (error) {
      if (isNamespaceTerminating(error) || isAlreadyExists(error)) return false;
      const message = error instanceof Error ? error.message : String(error);
      this.#events.warning(Job, job, "FailedCreate", `Error creating: ${message}`);
      throw error;
    }
  }

  async #delete(job: Job, pod: Pod): Promise<void> {
    const { name = "", namespace, uid } = pod.metadata ?? {};
    await this.#untrack(pod);
    try {
      await this.#environment.client.delete(Pod, name, { namespace, preconditions: { uid } });
      this.#events.normal(Job, job, "SuccessfulDelete", `Deleted pod: ${name}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Counts first and lets go after, so that no pod is lost; who was counted is remembered until it is let go. */
  async #tell(
    job: Job,
    progress: JobProgress,
    active: number,
    verdict: Verdict | undefined,
    now: number,
  ): Promise<void> {
    const status = jobStatus(job, progress, active, verdict, now);
    if (!deepEqual(status, job.status))
      await this.#environment.client.update(Job, { ...job, status }, { subresource: "status" });
    const counted = [...progress.newlySucceeded, ...progress.newlyFailed];
    for (const { metadata } of counted) this.#counted.add(metadata?.uid ?? "");
    for (const pod of counted) await this.#untrack(pod);
    if (!verdict || active > 0 || isOver(job)) return;
    if (verdict.type === "Complete") this.#events.normal(Job, job, "Completed", "Job completed");
    else if (!findCondition(job.status?.conditions, "Failed"))
      this.#events.warning(Job, job, verdict.reason, verdict.message);
  }

  async #untrack({ metadata }: Pod): Promise<void> {
    if (!metadata?.finalizers?.includes(trackingFinalizer)) return;
    const finalizers = metadata.finalizers.filter((name) => name !== trackingFinalizer);
    const merge = { metadata: { uid: metadata.uid, finalizers } };
    try {
      await this.#environment.client.patch(
        Pod,
        metadata.name ?? "",
        { merge },
        { namespace: metadata.namespace },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#counted.delete(metadata.uid ?? "");
  }

  /** How long to wait since the last failure before the next pod. */
  #backoff(pods: readonly Pod[], { failed }: JobProgress, now: number): number {
    if (failed === 0) return 0;
    const ends = pods
      .filter(({ status }) => status?.phase === "Failed")
      .map(({ status, metadata }) => {
        const ended =
          status?.containerStatuses?.map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? "")) ??
          [];
        return Math.max(
          Date.parse(metadata?.creationTimestamp ?? "") || 0,
          ...ended.filter((time) => !Number.isNaN(time)),
        );
      });
    if (ends.length === 0) return 0;
    const delay = Math.min(firstBackoff * 2 ** (failed - 1), longestBackoff);
    return Math.max(0, Math.max(...ends) + delay - now);
  }

  #untilDeadline(job: Job, now: number): number {
    const { activeDeadlineSeconds, suspend } = job.spec ?? {};
    if (activeDeadlineSeconds === undefined || suspend) return 0;
    const start = Date.parse(job.status?.startTime ?? "") || now;
    return Math.max(1, start + activeDeadlineSeconds * 1000 - now);
  }

  #suffix(): string {
    const letter = (): string =>
      suffixLetters[Math.floor(this.#environment.random() * suffixLetters.length)] ?? "x";
    return Array.from({ length: 5 }, letter).join("");
  }
}

/** The smallest delay above zero. */
function soonest(delays: readonly number[]): number | undefined {
  const some = delays.filter((delay) => delay > 0);
  return some.length > 0 ? Math.min(...some) : undefined;
}
