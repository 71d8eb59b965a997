// Growth of the volumes of members that are there. Kubernetes lets claims grow, never shrink.
import { compareQuantities, PersistentVolumeClaim } from "@kubewright/api";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { Context } from "./context.js";
import { memberClaim } from "./member-pod.js";
import { memberLabel } from "./names.js";
import type { Objection } from "./wanted.js";

/** Applies a larger size to the claims; returns an objection where a smaller one is asked for. */
export async function growClaims(cluster: EtcdCluster, ctx: Context): Promise<Objection | undefined> {
  let objection: Objection | undefined;
  for (const { metadata, spec } of ctx.children(PersistentVolumeClaim)) {
    const member = metadata?.labels?.[memberLabel];
    if (!member || metadata?.deletionTimestamp) continue;
    const wanted = memberClaim(cluster, member);
    const present = spec?.resources?.requests?.["storage"] ?? "0";
    const order = compareQuantities(wanted.spec.resources.requests.storage, present);
    if (order > 0) {
      await ctx.apply(PersistentVolumeClaim, wanted);
      const size = wanted.spec.resources.requests.storage;
      ctx.event({ reason: "ClaimGrown", note: `the claim of ${member} grows from ${present} to ${size}` });
    }
    if (order < 0)
      objection = {
        reason: "StorageNotShrunk",
        message: `volumes of ${present} cannot shrink to ${wanted.spec.resources.requests.storage}: restore a backup into a new cluster`,
      };
  }
  return objection;
}
