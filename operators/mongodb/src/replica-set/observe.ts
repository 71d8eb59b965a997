// Gathers what a step is decided from. Members are asked for their own state all at once; the configuration, the users and the reports on
// the others come from the primary.
import { isConditionTrue, PersistentVolumeClaim, Pod, StatefulSet } from "@kubewright/api";
import { podProblem } from "@kubewright/runtime/workload";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import {
  compatibilityVersion,
  type Hello,
  implicitWriteConcern,
  type OwnState,
  roles,
  type SetStatus,
  setConfig,
  setStatus,
  users,
} from "../client/commands.js";
import type { MongoAccess } from "../client/mongo-access.js";
import { type Credentials, MongoFailure, type MongoMember } from "../client/mongo-member.js";
import { certificatesIn } from "../client/pem.js";
import { isArbiter as isArbiterOnly, isVoting } from "../client/replica-set-documents.js";
import { isValidAt } from "../client/trust.js";
import { compareVersions } from "../release/series.js";
import { rememberedRoles } from "./accounts.js";
import { nextExchange } from "./certificate-exchange.js";
import type { Context } from "./context.js";
import {
  addressOf,
  arbiterSet,
  claimName,
  clusterLabel,
  operatorUser,
  partOf,
  placeOf,
  podName,
} from "./names.js";
import type { View } from "./newest.js";
import type { Objection } from "./objection.js";
import {
  type Certificates,
  type Inside,
  isHealthy,
  type Observed,
  type ObservedClaim,
  type ObservedPod,
  type Slot,
  stateOf,
  type Wanted,
} from "./observed.js";
import type { SetSecrets } from "./secrets.js";
import { finalModes } from "./security-modes.js";
import { certificateAnnotation, holdAnnotation } from "./stateful-set.js";
import { storageOf } from "./storage.js";
import { fingerprintOf, startedWith, type TlsMaterial } from "./tls.js";
import { type Ways, waysTo } from "./ways.js";

/** What is observed, and the ways to the members. */
export interface Observation extends Omit<Ways, "greet"> {
  readonly observed: Observed;
  /** What is asked of volumes and cannot be. */
  readonly objection: Objection | undefined;
  /** The password of the operator's user of admin. */
  readonly password: string;
  /** What members mounted for TLS. */
  readonly mounted: TlsMaterial | undefined;
  /** The objects that were seen. */
  readonly view: View;
}

export interface ObserveMeans {
  readonly access: MongoAccess;
  readonly secrets: SetSecrets;
  /** Reads the spec, given what members run. */
  readonly wantedOf: (found: {
    readonly versions: readonly string[];
    readonly compatibility: string | undefined;
  }) => Promise<Wanted>;
}

export async function observe(
  mongodb: MongoDBCommunity,
  ctx: Context,
  means: ObserveMeans,
): Promise<Observation> {
  const pods = new Map(ctx.pods().map((pod) => [pod.metadata?.name ?? "", pod]));
  const { namespace, name } = placeOf(mongodb);
  await means.access.keepOnly(`${namespace}/${name}`, [...pods.values()], (pod) =>
    ctx.get(Pod, pod, { live: true }),
  );
  const ways = waysTo(mongodb, ctx, {
    ...means,
    pods,
    volumes: await volumesOf(ctx, pods.keys()),
  });
  const { operator, system, reach, served } = ways;
  const isBegun = mongodb.status?.replicaSetId !== undefined;
  const answers = new Map<string, Hello>();
  const states = new Map<string, OwnState>();
  const certificates = new Map<string, string>();
  await Promise.all(
    [...pods.keys()].map(async (pod) => {
      const login = isBegun && !isArbiter(mongodb, pod) ? operator : undefined;
      const [answer, certificate] = await Promise.all([ways.greet(pod, login), served(pod)]);
      if (answer) answers.set(pod, answer);
      if (certificate) certificates.set(pod, certificate);
      const state = answer?.setName && login ? await stateFrom(reach(pod, login)) : undefined;
      if (state) states.set(pod, state);
    }),
  );
  const found = await askPrimary(mongodb, answers, ways);
  const versions = [...answers].flatMap(([, { version, setName }]) => (setName ? [version] : []));
  const wanted = await means.wantedOf({ versions, compatibility: found.inside?.compatibility });
  const sets = await setsOf(mongodb, ctx);
  const claims = new Map<string, PersistentVolumeClaim | undefined>();
  const parts = { pods, answers, states, certificates, found, sets, wanted, claims };
  const slots = await slotsOf(mongodb, ctx, parts);
  const volumes = storageOf(
    mongodb,
    [...claims.values()].flatMap((claim) => claim ?? []),
    sets.data,
  );
  const since = Date.parse(sets.data?.metadata?.annotations?.[holdAnnotation] ?? "");
  return {
    reach,
    served,
    operator,
    system,
    password: means.secrets.password,
    objection: volumes.objection,
    mounted: means.secrets.tls,
    view: { pods, sets, claims },
    observed: {
      now: ctx.now(),
      name: placeOf(mongodb).name,
      wanted,
      replicaSetId: mongodb.status?.replicaSetId,
      slots,
      primary: found.primary,
      inside: found.inside,
      loginProblem: found.problem,
      hold: Number.isNaN(since) ? undefined : { since },
      storage: volumes.storage,
      certificates: certificatesOf(means.secrets, certificates.size > 0, wanted.version, ctx.now()),
      operators: operatorUsers(mongodb, operator),
      areTemplatesSeen: [sets.data, sets.arbiters].every(isSeen),
    },
  };
}

const isArbiter = (mongodb: MongoDBCommunity, pod: string): boolean =>
  partOf(placeOf(mongodb).name, pod)?.isArbiter === true;

/** Its controller has seen its present template. */
export const isSeen = (set: StatefulSet | undefined): boolean =>
  set === undefined || set.status?.observedGeneration === set.metadata?.generation;

function operatorUsers(mongodb: MongoDBCommunity, { user, db }: Credentials): Observed["operators"] {
  const withPassword = { user: operatorUser, db: "admin" };
  return db === "admin" || finalModes(mongodb).isX509Only ? [{ user, db }] : [{ user, db }, withPassword];
}

/** What members mount for TLS, and what they shall mount next. */
function certificatesOf(
  { tls, wantedTls }: SetSecrets,
  isUsed: boolean,
  version: string,
  now: number,
): Certificates | undefined {
  if (!isUsed || !tls) return undefined;
  const isExpired = certificatesIn(tls.certificateKey).some((certificate) => !isValidAt(certificate, now));
  // What has expired is no longer worth a step between.
  const whole = wantedTls && { material: wantedTls, what: "the expired certificate is replaced" };
  const next = wantedTls && (isExpired ? whole : nextExchange(tls, wantedTls));
  return { mounted: fingerprintOf(tls), startedWith: startedWith(tls, version), isExpired, next };
}

/** The uids of the claims that pods mount. */
async function volumesOf(
  ctx: Context,
  pods: Iterable<string>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const volumes = new Map<string, string | undefined>();
  for (const pod of pods)
    volumes.set(pod, (await ctx.get(PersistentVolumeClaim, claimName(pod)))?.metadata?.uid);
  return volumes;
}

/** What a member says of its own state; nothing where it does not know the operator's user, or does not answer. */
async function stateFrom(member: MongoMember | undefined): Promise<OwnState | undefined> {
  try {
    return member && (await setStatus(member)).own;
  } catch (error) {
    if (error instanceof MongoFailure) return undefined;
    throw error;
  }
}

interface FromPrimary {
  readonly primary: string | undefined;
  readonly inside: Inside | undefined;
  readonly status: SetStatus | undefined;
  readonly problem: string | undefined;
}

const noPrimary: FromPrimary = {
  primary: undefined,
  inside: undefined,
  status: undefined,
  problem: undefined,
};

/** Of several that say they are primary, the one of the newest term is. */
async function askPrimary(
  mongodb: MongoDBCommunity,
  answers: ReadonlyMap<string, Hello>,
  ways: Ways,
): Promise<FromPrimary> {
  const claimants = [...answers].filter(([, { isPrimary }]) => isPrimary);
  const found = await Promise.all(
    claimants.map(([pod, { version }]) => askInside(mongodb, pod, version, ways)),
  );
  const known = found.filter(({ inside }) => inside);
  const newest = (known.length > 0 ? known : found).toSorted(
    (a, b) => (b.status?.term ?? 0) - (a.status?.term ?? 0),
  );
  return newest[0] ?? noPrimary;
}

async function askInside(
  mongodb: MongoDBCommunity,
  pod: string,
  version: string,
  { reach, operator }: Ways,
): Promise<FromPrimary> {
  const member = reach(pod, operator);
  if (!member) return noPrimary;
  try {
    const status = await setStatus(member);
    const config = await setConfig(member);
    const known = await users(member);
    const hasArbiters = (mongodb.spec.arbiters ?? 0) > 0 || config.members.some(isArbiterOnly);
    const isAsked = hasArbiters && compareVersions(version, "5.0.0") >= 0;
    const named = (mongodb.spec.security.roles ?? []).map(({ role, db }) => ({ role, db }));
    return {
      primary: pod,
      status,
      problem: undefined,
      inside: {
        config,
        term: status.term,
        compatibility: await compatibilityVersion(member),
        unsetWriteConcern: isAsked ? await implicitWriteConcern(member) : undefined,
        users: known,
        roles: await roles(member, unique([...named, ...rememberedRoles(known)])),
      },
    };
  } catch (error) {
    if (!(error instanceof MongoFailure)) throw error;
    // One that does not know the operator's user is the primary all the same; one that does not answer is not.
    const isKnown = error.kind === "login" || error.kind === "refused";
    return isKnown ? { ...noPrimary, primary: pod, problem: error.message } : noPrimary;
  }
}

const unique = <T extends { role: string; db: string }>(names: readonly T[]): readonly T[] => [
  ...new Map(names.map((name) => [`${name.db}.${name.role}`, name])).values(),
];

interface Sets {
  readonly data: StatefulSet | undefined;
  readonly arbiters: StatefulSet | undefined;
}

async function setsOf(mongodb: MongoDBCommunity, ctx: Context): Promise<Sets> {
  const { name } = placeOf(mongodb);
  return { data: await ctx.get(StatefulSet, name), arbiters: await ctx.get(StatefulSet, arbiterSet(name)) };
}

interface Parts {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly answers: ReadonlyMap<string, Hello>;
  readonly states: ReadonlyMap<string, OwnState>;
  readonly certificates: ReadonlyMap<string, string>;
  readonly found: FromPrimary;
  readonly sets: Sets;
  readonly wanted: Wanted;
  /** Those that were looked for, by the names of their pods. */
  readonly claims: Map<string, PersistentVolumeClaim | undefined>;
}

async function slotsOf(mongodb: MongoDBCommunity, ctx: Context, parts: Parts): Promise<readonly Slot[]> {
  const { name } = placeOf(mongodb);
  const { pods, wanted, found } = parts;
  const place = placeOf(mongodb);
  const wantedPods = [
    ...Array.from({ length: wanted.members }, (_, ordinal) => podName(name, ordinal)),
    ...Array.from({ length: wanted.arbiters }, (_, ordinal) => podName(arbiterSet(name), ordinal)),
  ];
  const suffix = addressOf(place, "");
  const configured = (found.inside?.config.members ?? []).flatMap(({ host }) =>
    host.endsWith(suffix) ? [host.slice(0, -suffix.length)] : [],
  );
  const known = (mongodb.status?.members ?? []).map((member) => member.name);
  const names = new Set([...wantedPods, ...pods.keys(), ...configured, ...(found.inside ? [] : known)]);
  const slots: Slot[] = [];
  for (const pod of names) {
    const slot = await slotOf(mongodb, ctx, parts, pod);
    if (slot) slots.push(slot);
  }
  return slots.toSorted((a, b) => Number(a.isArbiter) - Number(b.isArbiter) || a.ordinal - b.ordinal);
}

async function slotOf(
  mongodb: MongoDBCommunity,
  ctx: Context,
  { pods, answers, states, certificates, found, sets, claims }: Parts,
  name: string,
): Promise<Slot | undefined> {
  const place = placeOf(mongodb);
  const part = partOf(place.name, name);
  if (!part) return undefined;
  const address = addressOf(place, name);
  const pod = pods.get(name);
  const claim = part.isArbiter ? undefined : await ctx.get(PersistentVolumeClaim, claimName(name));
  if (!part.isArbiter) claims.set(name, claim);
  const member = found.inside?.config.members.find(({ host }) => host === address);
  const before = mongodb.status?.members?.find((each) => each.name === name);
  const slot: Slot = {
    name,
    ...part,
    address,
    pod: pod && podOf(pod, part.isArbiter ? sets.arbiters : sets.data),
    claim: claim && claimOf(claim),
    hello: answers.get(name),
    member,
    report: found.status?.members.find(({ host }) => host === address),
    own: states.get(name),
    isVoter: member ? isVoting(member) : !found.inside && before?.voting === true,
    stateSince: ctx.now(),
    served: certificates.get(name),
    unhealthySince: undefined,
  };
  const since = before?.state === stateOf(slot) ? Date.parse(before.stateSince ?? "") : Number.NaN;
  const dated = Number.isNaN(since) ? slot : { ...slot, stateSince: since };
  if (isHealthy(slot)) return dated;
  return { ...dated, unhealthySince: Date.parse(before?.unhealthySince ?? "") || ctx.now() };
}

function podOf(pod: Pod, set: StatefulSet | undefined): ObservedPod {
  const { metadata, status, spec } = pod;
  const revision = metadata?.labels?.["controller-revision-hash"];
  return {
    isReady: isConditionTrue(status?.conditions as never, "Ready"),
    isTerminating: metadata?.deletionTimestamp !== undefined,
    isScheduled: spec?.nodeName !== undefined,
    createdAt: Date.parse(metadata?.creationTimestamp ?? "") || 0,
    isCurrent: set === undefined || revision === set.status?.updateRevision,
    startedWith: metadata?.annotations?.[certificateAnnotation],
    node: spec?.nodeName,
    problem: podProblem(pod)?.message,
  };
}

const claimOf = ({ metadata, spec, status }: PersistentVolumeClaim): ObservedClaim => ({
  isBound: spec?.volumeName !== undefined,
  isTerminating: metadata?.deletionTimestamp !== undefined,
  isLost: status?.phase === "Lost",
  createdAt: Date.parse(metadata?.creationTimestamp ?? "") || 0,
  isFromTemplate: metadata?.labels?.[clusterLabel] !== undefined,
});
