// Whether the operator has seen the newest state. After a restart, or behind an API server that lags, its caches show what was true some time
// ago: nothing that cannot be undone is decided from that.
import { type ObjectMeta, PersistentVolumeClaim, Pod, Secret, StatefulSet } from "@kubewright/api";
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
  { pods, sets, claims, passwords }: View & { readonly passwords: ReadonlyMap<string, Secret | undefined> },
): Promise<boolean> {
  const { name, namespace } = placeOf(mongodb);
  const labelSelector = `${clusterLabel}=${name}`;
  const live = { live: true } as const;
  const there = await ctx.list(Pod, { namespace, labelSelector, ...live });
  const answers = await Promise.all([
    isNewestSpec(mongodb, ctx),
    ctx.get(StatefulSet, name, live).then((set) => isSame(sets.data, set)),
    ctx.get(StatefulSet, arbiterSet(name), live).then((set) => isSame(sets.arbiters, set)),
    ...[...claims].map(async ([pod, claim]) =>
      isSame(claim, await ctx.get(PersistentVolumeClaim, claimName(pod), live)),
    ),
    ...[...passwords].map(async ([secret, seen]) => isSame(seen, await ctx.get(Secret, secret, live))),
  ]);
  return (
    answers.every(Boolean) &&
    there.length === pods.size &&
    there.every((pod) => isSame(pods.get(pod.metadata?.name ?? ""), pod))
  );
}
