// An in-memory index of workloads: the owner and the desired replicas of each.
import type { ObjectMeta } from "@kubewright/api";

interface Workload {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: { readonly replicas?: number | undefined } | undefined;
}

/** A transform for the caches of workloads. */
export function onlySize<T extends Workload>({ metadata = {}, spec }: T): T {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences } = metadata;
  const kept: Workload = {
    metadata: { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences },
    spec: { replicas: spec?.replicas },
  };
  // Nothing reads more of it than is kept.
  return kept as T;
}
