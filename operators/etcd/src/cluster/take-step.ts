// Carries out a step. Each is repeated without harm: what is done already is found done, and an answer that was lost is found in what is
// observed next.
import { PersistentVolumeClaim, Pod } from "@kubewright/api";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { RestoreParts } from "../backup/restore-parts.js";
import { type EtcdClient, EtcdError } from "../client/etcd-client.js";
import type { Context } from "./context.js";
import { memberClaim, memberPod, placeOf, type TlsSecrets } from "./member-pod.js";
import { claimName, memberLabel, peerURL } from "./names.js";
import type { Observation } from "./observe.js";
import { isHealthy, leaderOf, type Observed, voters } from "./observed.js";
import type { Step } from "./step.js";
import { describe } from "./step-events.js";

/** What steps need besides what is observed. */
export interface StepMeans {
  readonly secrets: TlsSecrets;
  /** How the first member gets its data; undefined for an empty cluster. */
  readonly restore: RestoreParts | undefined;
}

export type Outcome =
  | { readonly kind: "done" }
  /** etcd does not do it yet. `isUnconnected`: by their own count, no member has been connected to all others for five seconds. */
  | { readonly kind: "waiting"; readonly message: string; readonly isUnconnected: boolean }
  /** etcd refused or did not answer; the step is decided anew. */
  | { readonly kind: "failed"; readonly message: string };

const done: Outcome = { kind: "done" };

export async function takeStep(
  step: Step,
  cluster: EtcdCluster,
  ctx: Context,
  observation: Observation,
  means: StepMeans,
): Promise<Outcome> {
  if (step.kind === "remove-member" && step.isFailed && !(await isSeenAsItIs(step.member, ctx))) {
    const message = `${describe(step)}: the cache of the operator is behind the API server`;
    return { kind: "waiting", message, isUnconnected: false };
  }
  try {
    await carryOut(step, cluster, ctx, observation, means);
    return done;
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    if (isDoneAlready(step, error)) return done;
    const message = `${describe(step)}: ${error.message}`;
    const isUnconnected = error.code === "not-connected";
    return isUnconnected || error.code === "no-quorum" || error.code === "not-ready"
      ? { kind: "waiting", message, isUnconnected }
      : { kind: "failed", message };
  }
}

/**
 * Whether the cache has the pod and the claim of a member as the API server has them. A member that is removed as failed has lost its data for
 * good: that is not decided on an older view, such as an operator may have after a restart.
 */
async function isSeenAsItIs(member: string, ctx: Context): Promise<boolean> {
  const [pod, claim] = await Promise.all([
    ctx.get(Pod, member, { live: true }),
    ctx.get(PersistentVolumeClaim, claimName(member), { live: true }),
  ]);
  const isSame = (seen: Pod | PersistentVolumeClaim | undefined, there: typeof seen): boolean =>
    seen?.metadata?.resourceVersion === there?.metadata?.resourceVersion;
  return (
    isSame(ctx.children(Pod).find(isOf(member)), pod) &&
    isSame(ctx.children(PersistentVolumeClaim).find(isOf(member)), claim)
  );
}

/** The answer to the call before was lost. */
function isDoneAlready({ kind }: Step, { code }: EtcdError): boolean {
  if (kind === "add-learner") return code === "exists";
  return (kind === "remove-member" || kind === "promote") && code === "not-found";
}

async function carryOut(
  step: Step,
  cluster: EtcdCluster,
  ctx: Context,
  { observed, clients }: Observation,
  { secrets, restore }: StepMeans,
): Promise<void> {
  switch (step.kind) {
    case "none":
    case "wait":
      return;
    case "start": {
      const { member, how } = step;
      if (!ctx.children(PersistentVolumeClaim).some(isOf(member)))
        await ctx.create(PersistentVolumeClaim, memberClaim(cluster, member));
      const { version } = observed.wanted;
      const { membership } = observed;
      const options = { cluster, member, how, version, secrets, membership };
      if (!ctx.children(Pod).some(isOf(member)))
        await ctx.create(Pod, memberPod(how === "seed" ? { ...options, restore } : options));
      return;
    }
    case "restart":
    case "delete-pod":
      for (const pod of ctx.children(Pod).filter(isOf(step.member))) await ctx.delete(Pod, pod);
      return;
    case "delete-claim":
      for (const claim of ctx.children(PersistentVolumeClaim).filter(isOf(step.member)))
        await ctx.delete(PersistentVolumeClaim, claim);
      return;
    case "add-learner": {
      const url = peerURL(placeOf(cluster), step.member, secrets.peer !== undefined);
      await askAny(observed, clients, (client) => client.memberAdd(url, { isLearner: true }));
      return;
    }
    case "promote":
      await leader(observed, clients).memberPromote(step.id);
      return;
    case "remove-member":
      await askAny(observed, clients, (client) => client.memberRemove(step.id), step.member);
      return;
    case "move-leader":
      await leader(observed, clients).moveLeader(step.id);
      return;
    case "compact":
      await leader(observed, clients).compact(step.revision);
      return;
    case "defragment":
      await clients.get(step.member)?.defragment();
      return;
    case "disarm":
      await leader(observed, clients).disarm({ memberId: step.id, type: step.alarm });
  }
}

const isOf =
  (member: string) =>
  ({ metadata }: Pod | PersistentVolumeClaim): boolean =>
    metadata?.labels?.[memberLabel] === member;

function leader(observed: Observed, clients: ReadonlyMap<string, EtcdClient>): EtcdClient {
  const slot = leaderOf(observed);
  const client = slot && clients.get(slot.name);
  if (!client) throw new EtcdError("no-quorum", "no member knows of a leader");
  return client;
}

/**
 * Asks the leader for a change of the membership, and when it counts a member as lost, the other voters. etcd notes a member as lost when
 * a message to its former address fails late, and then keeps to it although both are connected (etcd issue 14523); the others know better.
 */
async function askAny(
  observed: Observed,
  clients: ReadonlyMap<string, EtcdClient>,
  ask: (client: EtcdClient) => Promise<unknown>,
  besides?: string,
): Promise<void> {
  try {
    await ask(leader(observed, clients));
  } catch (error) {
    if (!isUnconnected(error)) throw error;
    const others = voters(observed).filter(
      (slot) => slot !== leaderOf(observed) && slot.name !== besides && isHealthy(slot),
    );
    for (const { name } of others) {
      const client = clients.get(name);
      if (client && (await isTaken(() => ask(client)))) return;
    }
    throw error;
  }
}

const isUnconnected = (error: unknown): boolean =>
  error instanceof EtcdError && error.code === "not-connected";

async function isTaken(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (isUnconnected(error)) return false;
    throw error;
  }
}
