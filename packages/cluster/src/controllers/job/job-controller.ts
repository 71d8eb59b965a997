// Runs pods until enough of them have succeeded, or too many have failed.
import { findCondition, getControllerOf, Job, type JobStatus, LabelMatcher, Pod } from "@kubewright/api";
import { type ObjectChange, objectKey, type StoreReader } from "@kubewright/runtime";
import type { EventRecorder } from "../../events/event-recorder.js";
import { ChildrenIndex } from "../../workload/children-index.js";
import { claimChildren } from "../../workload/claim-children.js";
import { controllerKey, ownerKeys } from "../../workload/owner-keys.js";
import { isPodNews } from "../../workload/pod-news.js";
import { isReady } from "../../workload/pod-state.js";
import type { ControllerEnvironment } from "../controller.js";
import { type Syncing, syncController } from "../sync-controller.js";
import type { SyncLoop } from "../sync-loop.js";
import { completion, type FinishedCondition, finishedCondition } from "./finished-condition.js";
import { type BackoffRecord, noFailures, recordEnds } from "./job-backoff.js";
import { countPods, settleCounts } from "./job-count.js";
import { jobPlan } from "./job-plan.js";
import { JobPodKeeper } from "./job-pod-keeper.js";
import { isTracked } from "./job-pods.js";
import { isOver, type JobProgress, jobProgress } from "./job-progress.js";
import { finishedStatus, interimStatus, type PodCounts } from "./job-status.js";

export const jobController = syncController("job", (loop, environment) => new Jobs(loop, environment));

/** Jobs that name another controller are left to it. */
const ownName = "kubernetes.io/job-controller";

/** Keys that begin so are of pods whose Job may be gone. */
const orphanPrefix = "orphan ";
const orphanKey = (pod: Pod): string => `${orphanPrefix}${objectKey(pod)}`;

/** The changes made to the pods of a Job. */
interface Outcome {
  readonly pods: PodCounts;
  readonly wait: number;
  readonly error?: unknown;
}

class Jobs implements Syncing {
  readonly #environment: ControllerEnvironment;
  readonly #events: EventRecorder;
  readonly #loop: SyncLoop;
  readonly #keeper: JobPodKeeper;
  readonly #jobs: StoreReader<Job>;
  readonly #podStore: StoreReader<Pod>;
  readonly #pods: ChildrenIndex<Pod>;
  /** By key, for Jobs that have failed pods since their last success. */
  readonly #backoff = new Map<string, BackoffRecord>();

  constructor(loop: SyncLoop, environment: ControllerEnvironment) {
    this.#environment = environment;
    this.#events = environment.events("job-controller");
    this.#loop = loop;
    this.#keeper = new JobPodKeeper(environment, this.#events);
    const jobs = loop.watch(Job, ({ key, previous, current }) =>
      previous && !current ? [key, ...this.#pods.of(previous).map(orphanKey)] : [key],
    );
    this.#jobs = jobs;
    this.#podStore = loop.watch(Pod, (change) => this.#keysOf(change));
    this.#pods = new ChildrenIndex(this.#podStore);
  }

  *#keysOf(change: ObjectChange<Pod>): Iterable<string> {
    if (!isPodNews(change)) return;
    yield* ownerKeys(Job, this.#jobs, change);
    if (change.current && this.#isOrphan(change.current)) yield orphanKey(change.current);
  }

  /** Whether the pod waits to be counted by a Job that is no more. */
  #isOrphan(pod: Pod): boolean {
    const key = isTracked(pod) ? controllerKey(Job, pod) : undefined;
    return key !== undefined && this.#jobs.get(key)?.metadata?.uid !== getControllerOf(pod)?.uid;
  }

  async sync(key: string): Promise<number | undefined> {
    if (!key.startsWith(orphanPrefix)) return this.#syncJob(key);
    const pod = this.#podStore.get(key.slice(orphanPrefix.length));
    if (pod && this.#isOrphan(pod)) await this.#keeper.release(pod);
    return undefined;
  }

  async #syncJob(key: string): Promise<number | undefined> {
    const job = this.#jobs.get(key);
    if (!job || isOver(job)) this.#backoff.delete(key);
    if (!job || (job.spec?.managedBy ?? ownName) !== ownName) return undefined;
    const pods = await this.#claim(job);
    if (isOver(job) || job.metadata?.deletionTimestamp) {
      for (const pod of pods) await this.#keeper.release(pod);
      return undefined;
    }
    const now = this.#environment.clock.now();
    const progress = jobProgress(job, pods, now);
    const ended = finishedCondition(job, progress, now);
    const outcome = ended ? await this.#stop(job, progress) : await this.#goOn(key, job, progress, now);
    const finished = ended ?? completion(job, progress.succeeded, outcome.pods.active);
    await this.#writeStatus(key, job, progress, outcome.pods, finished);
    if (outcome.error !== undefined) throw outcome.error;
    return soonest([outcome.wait, finished ? 0 : this.#untilDeadline(job, now)]);
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

  /** Ends the pods that are left. They keep the finalizer until they are counted. */
  async #stop(job: Job, { active, terminating }: JobProgress): Promise<Outcome> {
    for (const pod of active) await this.#keeper.delete(job, pod);
    return { pods: { active: 0, ready: 0, terminating: terminating.length + active.length }, wait: 0 };
  }

  async #goOn(key: string, job: Job, progress: JobProgress, now: number): Promise<Outcome> {
    const record = this.#record(key, progress, job, now);
    const plan = jobPlan(job, progress, record, now);
    for (const pod of plan.delete) {
      // It did nothing wrong: it must not count.
      await this.#keeper.release(pod);
      await this.#keeper.delete(job, pod);
    }
    const { created, error } = await this.#keeper.create(job, plan.create);
    const pods = {
      active: progress.active.length - plan.delete.length + created,
      ready: progress.ready - plan.delete.filter(isReady).length,
      terminating: progress.terminating.length + plan.delete.length,
    };
    return { pods, wait: plan.wait, error };
  }

  /** With the pods that are about to be counted. */
  #record(key: string, progress: JobProgress, job: Job, now: number): BackoffRecord {
    const { succeeded, failed } = countPods(job, progress, undefined);
    return recordEnds(this.#backoff.get(key) ?? noFailures, succeeded, failed, now);
  }

  /** Records the pods that ended in the status, removes their finalizers, counts them, and sets the finished condition after the last. */
  async #writeStatus(
    key: string,
    job: Job,
    progress: JobProgress,
    pods: PodCounts,
    finished: FinishedCondition | undefined,
  ): Promise<void> {
    const now = this.#environment.clock.now();
    const count = countPods(job, progress, finished);
    const interim = interimStatus(job, progress, pods, count, finished, now);
    const isLast = count.release.length === 0;
    const noted = isLast ? job : await this.#loop.writeStatus(Job, job, interim);
    if (count.succeeded.length + count.failed.length > 0)
      this.#backoff.set(
        key,
        recordEnds(this.#backoff.get(key) ?? noFailures, count.succeeded, count.failed, now),
      );
    for (const pod of count.release) await this.#keeper.release(pod);
    const settled = settleCounts(isLast ? interim : (noted.status ?? interim), new Set());
    const isFinished = finished !== undefined && pods.terminating === 0 && !count.isPartial;
    const status = isFinished ? finishedStatus(settled, finished, now) : settled;
    await this.#loop.writeStatus(Job, noted, status);
    this.#recordChanges(job, status, isFinished ? finished : undefined);
  }

  #recordChanges(job: Job, status: JobStatus, finished: FinishedCondition | undefined): void {
    const before = findCondition(job.status?.conditions, "Suspended")?.status;
    const after = findCondition(status.conditions, "Suspended")?.status;
    if (before !== "True" && after === "True") this.#events.normal(Job, job, "Suspended", "Job suspended");
    if (before === "True" && after === "False") this.#events.normal(Job, job, "Resumed", "Job resumed");
    if (finished?.type === "Failed") this.#events.warning(Job, job, finished.reason, finished.message);
    if (finished?.type !== "Complete") return;
    if (job.spec?.completions !== undefined && (status.succeeded ?? 0) > job.spec.completions)
      this.#events.warning(
        Job,
        job,
        "TooManySucceededPods",
        "Too many succeeded pods running after completion count reached",
      );
    this.#events.normal(Job, job, "Completed", "Job completed");
  }

  #untilDeadline(job: Job, now: number): number {
    const { activeDeadlineSeconds, suspend } = job.spec ?? {};
    if (activeDeadlineSeconds === undefined || suspend) return 0;
    const start = Date.parse(job.status?.startTime ?? "") || now;
    return Math.max(1, start + activeDeadlineSeconds * 1000 - now);
  }
}

/** The smallest delay above zero. */
function soonest(delays: readonly number[]): number | undefined {
  const some = delays.filter((delay) => delay > 0);
  return some.length > 0 ? Math.min(...some) : undefined;
}
