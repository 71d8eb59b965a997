// Whether the operator has seen the newest state. After a restart, or behind an API server that lags, its caches show what was true some time
// ago: nothing that cannot be undone is decided from that.
import { type ObjectMeta, PersistentVolumeClaim, Pod, StatefulSet } from "@kubewright/api";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import type { Context } from "./context.js";
import { arbiterSet, claimName, clusterLabel, placeOf } from "./names.js";

type Seen = { readonly metadata?: ObjectMeta | undefined } | undefined;

/** Whether an object was seen as the API server has it. */
export const isSame = (seen: Seen, there: Seen): boolean =>
  seen?.metadata?.uid === there?.metadata?.uid &&
  seen?.metadata?.resourceVersion === there?.metadata?.resourceVersion;

/** What a step is decided from, as the caches had it. */
export interface View {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly sets: { readonly data: StatefulSet | undefined; readonly arbiters: StatefulSet | undefined };
  /** By the names of their pods. */
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim | undefined>;
}

export async function isNewestSpec(mongodb: MongoDBCommunity, ctx: Context): Promise<boolean> {
  return isSame(mongodb, await ctx.get(MongoDBCommunity, placeOf(mongodb).name, { live: true }));
}

export async function isNewest(
  mongodb: MongoDBCommunity,
  ctx: Context,
  { pods, sets, claims }: View,
): Promise<boolean> {
  const { name, namespace } = placeOf(mongodb);
  const labelSelector = `${clusterLabel}=${name}`;
  const [isSpecNewest, data, arbiters, there, ...volumes] = await Promise.all([
    isNewestSpec(mongodb, ctx),
    ctx.get(StatefulSet, name, { live: true }),
    ctx.get(StatefulSet, arbiterSet(name), { live: true }),
    ctx.list(Pod, { namespace, labelSelector, live: true }),
    ...[...claims.keys()].map((pod) => ctx.get(PersistentVolumeClaim, claimName(pod), { live: true })),
  ]);
  return (
    isSpecNewest &&
    isSame(sets.data, data) &&
    isSame(sets.arbiters, arbiters) &&
    there.length === pods.size &&
    there.every((pod) => isSame(pods.get(pod.metadata?.name ?? ""), pod)) &&
    [...claims.values()].every((claim, index) => isSame(claim, volumes[index]))
  );
}
