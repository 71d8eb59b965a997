// The controller of MongoDBCommunity objects: observes, decides one step, carries it out, and looks again.
import {
  ConfigMap,
  Deployment,
  isConditionTrue,
  isInvalid,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Secret,
  Service,
  StatefulSet,
} from "@kubewright/api";
import {
  annotationsChanged,
  anyOf,
  defineController,
  generationChanged,
  owned,
  used,
  watch,
} from "@kubewright/runtime";
import { watchPods } from "@kubewright/runtime/workload";
import { MongoDBBackup } from "../api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { keepSchedule } from "../backup/backup-schedule.js";
import { keepExporter, unseenExporter, wantedExporter } from "../exporter/exporter-parts.js";
import type { ExporterState } from "../exporter/exporter-state.js";
import {
  agentProblems,
  agentUsers,
  certificateSecrets,
  readAgentCertificates,
} from "../replica-set/agent-certificates.js";
import type { Context } from "../replica-set/context.js";
import { isStuck, problemOf } from "../replica-set/member-problem.js";
import { clusterLabel, dataVolume } from "../replica-set/names.js";
import { isNewest } from "../replica-set/newest.js";
import { nextStep } from "../replica-set/next-step.js";
import type { Objection } from "../replica-set/objection.js";
import { isSeen, type Observation, observe } from "../replica-set/observe.js";
import { majorityIn, membersOf, type Observed, votersOf } from "../replica-set/observed.js";
import { keepSecrets, type SetSecrets } from "../replica-set/secrets.js";
import { budgetOf, serviceOf } from "../replica-set/services.js";
import { arbiterSetOf, dataSetOf, fixedClaims, type SetOptions } from "../replica-set/stateful-set.js";
import { statusOf } from "../replica-set/status.js";
import type { Decision, Step } from "../replica-set/step.js";
import { eventOf } from "../replica-set/step-events.js";
import { type Outcome, takeStep } from "../replica-set/take-step.js";
import { keepUserSecrets } from "../replica-set/user-secrets.js";
import { type Reading, readSpec } from "../replica-set/wanted.js";
import type { AgentOptions } from "./agent-options.js";
import { isGone } from "./is-gone.js";

export interface MongoControllerOptions extends AgentOptions {
  /** The image of mongod without its tag. */
  readonly image: string;
  /** Called after each step that changed something: tests end the operator here. */
  readonly onStep?: ((mongodb: MongoDBCommunity, step: Step) => void) | undefined;
}

/** In milliseconds. */
const pauses = { afterStep: 10, waiting: 500, lost: 2_000, settled: 10_000 } as const;

/** The replica set that a claim's name is of. */
function claimant({ metadata }: PersistentVolumeClaim): readonly string[] {
  const pod = metadata?.name?.startsWith(`${dataVolume}-`) ? metadata.name.slice(dataVolume.length + 1) : "";
  const name = /^(.+)-\d+$/.exec(pod)?.[1];
  return name ? [`${metadata?.namespace}/${name}`] : [];
}

export const mongoController = ({ access, image, agentImage, onStep }: MongoControllerOptions) =>
  defineController(MongoDBCommunity, {
    when: anyOf(generationChanged, annotationsChanged),
    owns: [
      owned(StatefulSet, { verbs: ["create", "patch", "delete"] }),
      Service,
      Secret,
      PodDisruptionBudget,
      Deployment,
    ],
    uses: [
      used(Pod, { verbs: ["delete"] }),
      used(PersistentVolumeClaim, { verbs: ["patch", "delete"] }),
      used(MongoDBBackup, { verbs: ["create", "delete"] }),
    ],
    indexes: {
      secret: ({ metadata, spec }) =>
        [
          ...spec.users.map((user) => user.passwordSecretRef),
          spec.security.tls?.certificateKeySecretRef,
          spec.prometheus?.passwordSecretRef,
          spec.prometheus?.tlsSecretKeyRef,
          spec.security.tls?.caCertificateSecretRef,
          ...(spec.security.tls?.enabled ? certificateSecrets(spec).map((name) => ({ name })) : []),
        ].flatMap((reference) => (reference ? [`${metadata.namespace}/${reference.name}`] : [])),
      config: ({ metadata, spec }) => {
        const reference = spec.security.tls?.caConfigMapRef;
        return reference ? [`${metadata.namespace}/${reference.name}`] : [];
      },
    },
    watches: [
      watchPods(clusterLabel),
      watch(PersistentVolumeClaim, { targets: claimant }),
      watch(Secret, {
        targets: ({ metadata }, own) => own.byIndex("secret", `${metadata?.namespace}/${metadata?.name}`),
      }),
      watch(ConfigMap, {
        targets: ({ metadata }, own) => own.byIndex("config", `${metadata?.namespace}/${metadata?.name}`),
      }),
    ],
    rbac: [{ apiGroups: [""], resources: ["pods/portforward"], verbs: ["get", "create"] }],
    async reconcile(mongodb, ctx) {
      if (await isGone(mongodb, ctx)) return undefined;
      const secrets = await keepSecrets(mongodb, ctx);
      const agents = await readAgentCertificates(mongodb, ctx, secrets);
      const passwords = await passwordSecrets(mongodb, ctx);
      let reading: Reading | undefined;
      const observation = await observe(mongodb, ctx, {
        access,
        secrets,
        wantedOf: async (found) => {
          const { tlsProblem, isTlsMissing, operatorCertificate } = secrets;
          reading = readSpec(mongodb, {
            ...found,
            tlsProblem,
            isTlsMissing,
            operatorSubject: operatorCertificate?.user,
            secret: (name) => passwords.get(name),
            ownUsers: agents
              ? agentUsers(mongodb, agents)
              : mongodb.spec.prometheus
                ? [wantedExporter(secrets.password)]
                : [],
          });
          return reading.wanted;
        },
      });
      const { observed } = observation;
      const first = nextStep(observed);
      if (needsNewest(first, observed) && !(await isNewest(mongodb, ctx, { ...observation.view, passwords })))
        return { requeueAfter: pauses.waiting };
      const sets = await keepChildren(mongodb, ctx, { observation, decision: first, secrets, image });
      const decision = first.step.kind === "none" && !areSeen(sets) ? takesUpChange : first;
      const outcome = await takeStep(decision.step, mongodb, ctx, observation);
      const backups = await keepSchedule(mongodb, ctx);
      const exporter = mongodb.spec.paused
        ? unseenExporter
        : await keepExporter(mongodb, ctx, {
            password: secrets.password,
            agentImage,
            certificate: agents?.exporter,
          });
      const objections: readonly Objection[] = [
        ...(reading?.objections ?? []),
        ...sets.objections,
        ...(observation.objection ? [observation.objection] : []),
        ...missingPasswords(observed),
        ...agentProblems(mongodb, agents),
        ...exporter.objections,
        ...(typeof backups === "string" ? [{ reason: "ScheduleUnreadable" as const, message: backups }] : []),
      ];
      const { isModel } = access;
      ctx.status(
        statusOf({
          ...{ mongodb, observed, decision, objections, outcome, sets, isModel, backups },
          exporter: exporter.state,
        }),
      );
      recordExporter(mongodb, ctx, exporter.state);
      recordEvents(mongodb, ctx, { observed, step: decision.step, outcome, objections });
      if (outcome.kind === "done" && isChange(decision.step)) onStep?.(mongodb, decision.step);
      return { requeueAfter: pauseAfter(decision, observed, outcome) };
    },
  });

/** What was decided before the StatefulSet was written does not know of the change. */
const takesUpChange: Decision = {
  activity: "Updating",
  step: { kind: "wait", message: "the StatefulSet takes up a change" },
};

/** While no primary shows who its members are, the number of pods is decided from objects of Kubernetes alone, as every step partly is. */
const needsNewest = ({ step }: Decision, { inside, wanted }: Observed): boolean =>
  !inside || isChange(step) || wanted.isPaused || wanted.obstacle !== undefined;

const areSeen = ({ data, arbiters }: Children): boolean => isSeen(data) && isSeen(arbiters);

async function passwordSecrets(
  mongodb: MongoDBCommunity,
  ctx: Context,
): Promise<ReadonlyMap<string, Secret | undefined>> {
  const secrets = new Map<string, Secret | undefined>();
  for (const { passwordSecretRef } of mongodb.spec.users)
    if (passwordSecretRef) secrets.set(passwordSecretRef.name, await ctx.get(Secret, passwordSecretRef.name));
  return secrets;
}

/** Users that are not there yet and have no password. A password is needed only until its user is made. */
function missingPasswords({ wanted, inside }: Observed): readonly Objection[] {
  if (!inside) return [];
  return wanted.users
    .filter(
      ({ password, db, name }) =>
        password === undefined &&
        db !== "$external" &&
        !inside.users.some((user) => user.user === name && user.db === db),
    )
    .map(({ name, secret }) => ({
      reason: "PasswordMissing",
      message: `the user ${name} is not made: there is no password in the Secret ${secret ?? "(passwordSecretRef is missing)"}`,
    }));
}

interface Parts {
  readonly observation: Observation;
  readonly decision: Decision;
  readonly secrets: SetSecrets;
  readonly image: string;
}

interface Children {
  readonly data: StatefulSet | undefined;
  readonly arbiters: StatefulSet | undefined;
  readonly objections: readonly Objection[];
}

/** All that surrounds the members. */
async function keepChildren(mongodb: MongoDBCommunity, ctx: Context, parts: Parts): Promise<Children> {
  const { observation, decision, secrets, image } = parts;
  const { observed, view } = observation;
  const { data: present, arbiters } = view.sets;
  if ((mongodb.spec.paused || observed.wanted.obstacle) && present)
    return { data: present, arbiters, objections: [] };
  await ctx.apply(Service, serviceOf(mongodb));
  const voters = observed.inside
    ? votersOf(observed).length
    : observed.wanted.members + observed.wanted.arbiters;
  await ctx.apply(PodDisruptionBudget, budgetOf(mongodb, voters));
  const options: SetOptions = {
    mongodb,
    image,
    version: observed.wanted.version,
    config: secrets.config,
    tls: secrets.tls,
    replicas: observed.wanted.obstacle ? 0 : podsOf(observed, false, present),
    heldSince: heldSince(observed, decision.step, ctx.now()),
    present,
  };
  await keepUserSecrets(mongodb, ctx, observed);
  const votersOnly = podsOf(observed, true, arbiters);
  try {
    const data = await ctx.apply(StatefulSet, dataSetOf(options));
    const isNeeded = votersOnly > 0 || arbiters !== undefined;
    return {
      data,
      arbiters: isNeeded
        ? await ctx.apply(StatefulSet, arbiterSetOf({ ...options, replicas: votersOnly }))
        : undefined,
      objections: claimObjections(mongodb, present),
    };
  } catch (error) {
    // Without overrides what the operator makes is valid, or the operator is wrong.
    if (!isInvalid(error) || !mongodb.spec.statefulSet) throw error;
    const message = `statefulSet would make the StatefulSet invalid, which stays as it is: ${error.message}`;
    return { data: present, arbiters, objections: [{ reason: "OverridesInvalid", message }] };
  }
}

function claimObjections(mongodb: MongoDBCommunity, present: StatefulSet | undefined): readonly Objection[] {
  const fixed = fixedClaims(mongodb, present);
  const message = `volumeClaimTemplates ${fixed.join(", ")} of a StatefulSet cannot change, but for their size: restore a backup into a new replica set`;
  return fixed.length > 0 ? [{ reason: "ClaimTemplatesFixed", message }] : [];
}

/** As many pods as are wanted, and those of members that are still to be removed. */
function podsOf(observed: Observed, isArbiter: boolean, present: StatefulSet | undefined): number {
  const wanted = isArbiter ? observed.wanted.arbiters : observed.wanted.members;
  if (!observed.inside)
    return Math.max(wanted, observed.replicaSetId === undefined ? 0 : (present?.spec?.replicas ?? 0));
  const own = membersOf(observed).filter((slot) => slot.isArbiter === isArbiter);
  return Math.max(wanted, ...own.map(({ ordinal }) => ordinal + 1));
}

/** Members that have data are not held. */
function heldSince({ hold, replicaSetId }: Observed, { kind }: Step, now: number): number | undefined {
  if (replicaSetId !== undefined) return undefined;
  if (kind === "hold-claims") return now;
  return kind === "release-claims" ? undefined : hold?.since;
}

const isChange = ({ kind }: Step): boolean => kind !== "none" && kind !== "wait";

function pauseAfter(
  { step, activity }: Decision,
  { replicaSetId, inside }: Observed,
  outcome: Outcome,
): number {
  if (outcome.kind !== "done") return pauses.waiting;
  if (isChange(step) || (replicaSetId === undefined && inside)) return pauses.afterStep;
  if (step.kind !== "wait" || activity === "Paused") return pauses.settled;
  return activity === "MajorityLost" || activity === "Degraded" ? pauses.lost : pauses.waiting;
}

/** Members that have become stuck since the status was written. */
function recordStuck({ status }: MongoDBCommunity, ctx: Context, { slots, now }: Observed): void {
  for (const slot of slots) {
    const wasStuck = status?.members?.find(({ name }) => name === slot.name)?.stuck === true;
    if (isStuck(slot, now) && !wasStuck)
      ctx.event({ type: "Warning", reason: "MemberStuck", note: `${slot.name}: ${problemOf(slot, now)}` });
  }
}

/** An exporter that has begun to fail since the status was written. */
function recordExporter(
  { status }: MongoDBCommunity,
  ctx: Context,
  exporter: ExporterState | undefined,
): void {
  const before = status?.conditions?.find(({ type }) => type === "ExporterAvailable");
  if (exporter?.kind === "failing" && before?.reason !== "ExporterFailing")
    ctx.event({ type: "Warning", reason: "ExporterFailing", note: exporter.message });
}

interface Taken {
  readonly observed: Observed;
  readonly step: Step;
  readonly outcome: Outcome;
  readonly objections: readonly Objection[];
}

function recordEvents(
  mongodb: MongoDBCommunity,
  ctx: Context,
  { observed, step, outcome, objections }: Taken,
): void {
  const event = outcome.kind === "done" ? eventOf(step) : undefined;
  if (event) ctx.event(event);
  if (outcome.kind === "failed") ctx.event({ type: "Warning", reason: "StepFailed", note: outcome.message });
  const before = mongodb.status;
  const wasLost = isConditionTrue(before?.conditions, "MajorityLost");
  const { isLost } = majorityIn(observed);
  if (isLost && !wasLost)
    ctx.event({
      type: "Warning",
      reason: "MajorityLost",
      note: "fewer members answer than are a majority: nothing can be written, and nothing is removed",
    });
  if (wasLost && !isLost)
    ctx.event({ reason: "MajorityRegained", note: "a majority of members answers again" });
  recordStuck(mongodb, ctx, observed);
  for (const { reason, message } of objections)
    if (before?.observedGeneration !== mongodb.metadata.generation)
      ctx.event({ type: "Warning", reason, note: message });
}
