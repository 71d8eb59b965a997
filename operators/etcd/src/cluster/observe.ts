// Gathers what a step is decided from. Members are asked for their own state all at once; the member list comes from one that reaches a
// quorum, the leader first.
import { isConditionTrue, PersistentVolumeClaim, Pod } from "@kubewright/api";
import { podProblem } from "@kubewright/runtime/workload";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { EtcdAccess } from "../client/etcd-access.js";
import type { ClientTls, EtcdAlarm, EtcdClient, MemberList, MemberStatus } from "../client/etcd-client.js";
import type { Context } from "./context.js";
import { placeOf } from "./member-pod.js";
import {
  hashAnnotation,
  memberHost,
  memberLabel,
  nameOfPeer,
  ordinalOf,
  startAnnotation,
  versionAnnotation,
} from "./names.js";
import {
  type History,
  isHealthy,
  type Observed,
  type ObservedClaim,
  type ObservedPod,
  type Slot,
  type StartMode,
  type Wanted,
} from "./observed.js";
import type { Stalls } from "./stalls.js";
import type { Vigil } from "./vigil.js";

/** What is observed, and the clients of the members that answered. */
export interface Observation {
  readonly observed: Observed;
  readonly clients: ReadonlyMap<string, EtcdClient>;
}

export interface ObserveMeans {
  readonly tls: ClientTls | undefined;
  readonly vigil: Vigil;
  readonly stalls: Stalls;
  /** Reads the spec, given the versions that the members were started as, and their clients. */
  readonly wantedOf: (
    versions: readonly string[],
    clients: ReadonlyMap<string, EtcdClient>,
  ) => Wanted | Promise<Wanted>;
}

interface Parts {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
}

export async function observe(
  cluster: EtcdCluster,
  ctx: Context,
  access: EtcdAccess,
  { tls, vigil, stalls, wantedOf }: ObserveMeans,
): Promise<Observation> {
  const parts = { pods: byMember(ctx.children(Pod)), claims: byMember(ctx.children(PersistentVolumeClaim)) };
  const clients = clientsOf(cluster, ctx, access, tls, parts);
  const statuses = await statusesOf(clients);
  const found = await membershipOf(clients, statuses);
  const slots = slotsOf(cluster, ctx.now(), parts, statuses, found);
  const versions = slots.flatMap(({ pod, member }) => (pod && member ? [pod.version] : []));
  return {
    clients,
    observed: {
      now: ctx.now(),
      cluster: placeOf(cluster).name,
      wanted: await wantedOf(versions, clients),
      clusterId: cluster.status?.clusterId,
      membership: found?.list,
      slots,
      knownVoters: (cluster.status?.members ?? [])
        .filter(({ role }) => role !== "Learner")
        .map(({ name }) => name),
      history: found?.history,
      watchedSince: vigil.look(cluster.metadata.uid ?? "", found !== undefined, ctx.now()),
      stalledSince: stalls.since(cluster.metadata.uid ?? ""),
      strayAlarms: strayAlarms(found),
    },
  };
}

function byMember<T extends Pod | PersistentVolumeClaim>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((object) => [object.metadata?.labels?.[memberLabel] ?? "", object]));
}

function clientsOf(
  cluster: EtcdCluster,
  ctx: Context,
  access: EtcdAccess,
  tls: ClientTls | undefined,
  { pods, claims }: Parts,
): ReadonlyMap<string, EtcdClient> {
  const place = placeOf(cluster);
  access.keepOnly(`${place.namespace}/${place.name}`, [...pods.values()]);
  const clients = new Map<string, EtcdClient>();
  for (const [name, pod] of pods) {
    if (!isRunning(pod)) continue;
    const forward = (target: string, port: number) => ctx.connect(target, port);
    const volume = claims.get(name)?.metadata?.uid;
    clients.set(name, access.member({ pod, volume, host: memberHost(place, name), tls, forward }));
  }
  return clients;
}

const isRunning = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  status?.podIP !== undefined &&
  (status.containerStatuses ?? []).some(({ state }) => state?.running !== undefined);

async function statusesOf(
  clients: ReadonlyMap<string, EtcdClient>,
): Promise<ReadonlyMap<string, MemberStatus>> {
  const statuses = new Map<string, MemberStatus>();
  await Promise.all(
    [...clients].map(async ([name, client]) => {
      const status = await client.status().catch(() => undefined);
      if (status) statuses.set(name, status);
    }),
  );
  return statuses;
}

interface FoundMembership {
  readonly list: MemberList;
  readonly alarms: readonly EtcdAlarm[];
  readonly history: History | undefined;
}

async function membershipOf(
  clients: ReadonlyMap<string, EtcdClient>,
  statuses: ReadonlyMap<string, MemberStatus>,
): Promise<FoundMembership | undefined> {
  const voting = [...statuses].filter(([, { isLearner, leader }]) => !isLearner && leader !== undefined);
  const leaderFirst = voting.toSorted(([, a], [, b]) => isLeader(b) - isLeader(a));
  for (const [name] of leaderFirst) {
    const client = clients.get(name);
    const found = client && (await askMembership(client));
    if (found) return found;
  }
  return undefined;
}

const isLeader = ({ leader, memberId }: MemberStatus): number => (leader === memberId ? 1 : 0);

async function askMembership(client: EtcdClient): Promise<FoundMembership | undefined> {
  try {
    const list = await client.memberList();
    const alarms = await client.alarms();
    const history = alarms.some(({ type }) => type === "NOSPACE") ? await historyOf(client) : undefined;
    return { list, alarms, history };
  } catch {
    // The next member is asked; if none knows, there is no quorum, and the status says so.
    return undefined;
  }
}

const strayAlarms = (found: FoundMembership | undefined): readonly EtcdAlarm[] =>
  (found?.alarms ?? []).filter(({ memberId }) => !found?.list.members.some(({ id }) => id === memberId));

async function historyOf(client: EtcdClient): Promise<History> {
  const { revision, compactRevision } = await client.hashKV();
  return { revision, compactRevision };
}

function slotsOf(
  cluster: EtcdCluster,
  now: number,
  { pods, claims }: Parts,
  statuses: ReadonlyMap<string, MemberStatus>,
  found: FoundMembership | undefined,
): readonly Slot[] {
  const place = placeOf(cluster);
  const members = new Map(
    (found?.list.members ?? []).map((member) => [nameOfPeer(place, member.peerURLs) ?? "", member]),
  );
  const known = new Map((cluster.status?.members ?? []).map((member) => [member.name, member]));
  const names = new Set([
    ...members.keys(),
    ...pods.keys(),
    ...claims.keys(),
    ...(found ? [] : known.keys()),
  ]);
  const slots: Slot[] = [];
  for (const name of names) {
    const ordinal = ordinalOf(place.name, name);
    if (ordinal === undefined) continue;
    const member = members.get(name);
    const pod = pods.get(name);
    const claim = claims.get(name);
    const slot: Slot = {
      name,
      ordinal,
      member,
      pod: pod && podOf(pod),
      claim: claim && claimOf(claim),
      status: statuses.get(name),
      unhealthySince: undefined,
      alarms: (found?.alarms ?? []).filter(({ memberId }) => memberId === member?.id).map(({ type }) => type),
    };
    const before = Date.parse(known.get(name)?.unhealthySince ?? "");
    slots.push(isHealthy(slot) ? slot : { ...slot, unhealthySince: before || now });
  }
  return slots.toSorted((a, b) => a.ordinal - b.ordinal);
}

function podOf(pod: Pod): ObservedPod {
  const { metadata, status, spec } = pod;
  const annotations = metadata?.annotations ?? {};
  const etcd = status?.containerStatuses?.find(({ name }) => name === "etcd");
  const words = etcd?.state?.running ? undefined : (etcd?.state?.terminated ?? etcd?.lastState?.terminated);
  return {
    start: (annotations[startAnnotation] ?? "guarded") as StartMode,
    hash: annotations[hashAnnotation] ?? "",
    version: annotations[versionAnnotation] ?? "",
    isReady: isConditionTrue(status?.conditions as never, "Ready"),
    isTerminating: metadata?.deletionTimestamp !== undefined,
    hasEnded: status?.phase === "Failed" || status?.phase === "Succeeded",
    createdAt: Date.parse(metadata?.creationTimestamp ?? "") || 0,
    lastWords: words?.message,
    node: spec?.nodeName,
    problem: podProblem(pod)?.message,
  };
}

const claimOf = ({ metadata, status }: PersistentVolumeClaim): ObservedClaim => ({
  isTerminating: metadata?.deletionTimestamp !== undefined,
  isLost: status?.phase === "Lost",
});
