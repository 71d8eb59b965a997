// Whether a replica set that the cache still shows was deleted. Its children go first, and making them again while the garbage collector
// deletes them would go on until the cache has caught up.
import { type KubeObject, PodDisruptionBudget, Secret, Service, StatefulSet } from "@kubewright/api";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import type { Context } from "../replica-set/context.js";
import { configSecret, keyFileSecret, operatorSecret, placeOf, serviceName } from "../replica-set/names.js";

export async function isGone(mongodb: MongoDBCommunity, ctx: Context): Promise<boolean> {
  if (mongodb.status?.replicaSetId === undefined || hasChildren(mongodb, ctx)) return false;
  const { name } = placeOf(mongodb);
  const live = await ctx.get(MongoDBCommunity, name, { live: true });
  return live?.metadata.uid !== mongodb.metadata.uid || live?.metadata.deletionTimestamp !== undefined;
}

/** Everything that a replica set has from its beginning to its end. */
function hasChildren(mongodb: MongoDBCommunity, ctx: Context): boolean {
  const { name } = placeOf(mongodb);
  const has = (children: readonly Pick<KubeObject, "metadata">[], child: string) =>
    children.some(({ metadata }) => metadata?.name === child);
  const secrets = ctx.children(Secret);
  return (
    has(ctx.children(StatefulSet), name) &&
    has(ctx.children(Service), serviceName(name)) &&
    has(ctx.children(PodDisruptionBudget), name) &&
    [keyFileSecret(name), operatorSecret(name), configSecret(name)].every((secret) => has(secrets, secret))
  );
}
