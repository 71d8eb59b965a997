// Carries out a step. Each is repeated without harm: what is done already is found done, and an answer that was lost is found in what is
// observed next.
import { PersistentVolumeClaim, Pod } from "@kubewright/api";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { RestoreParts } from "../backup/restore-parts.js";
import { type EtcdClient, EtcdError } from "../client/etcd-client.js";
import type { Context } from "./context.js";
import { memberClaim, memberPod, placeOf, type TlsSecrets } from "./member-pod.js";
import { memberLabel, peerURL } from "./names.js";
import type { Observation } from "./observe.js";
import { leaderOf, type Observed } from "./observed.js";
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
  /** etcd does not do it yet: members must have been connected for five seconds before the membership changes. */
  | { readonly kind: "waiting"; readonly message: string }
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
  try {
    await carryOut(step, cluster, ctx, observation, means);
    return done;
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    if (isDoneAlready(step, error)) return done;
    const isEarly = error.code === "no-quorum" || error.code === "not-ready";
    return { kind: isEarly ? "waiting" : "failed", message: `${describe(step)}: ${error.message}` };
  }
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
      await leader(observed, clients).memberAdd(url, { isLearner: true });
      return;
    }
    case "promote":
      await leader(observed, clients).memberPromote(step.id);
      return;
    case "remove-member":
      await leader(observed, clients).memberRemove(step.id);
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
