// The expected pods of a PodDisruptionBudget: the scale of each controller of its pods, counted once.
import {
  Deployment,
  getControllerOf,
  type KubeObject,
  type OwnerReference,
  type Pod,
  parseApiVersion,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "@kubewright/api";
import { keyOf, type StoreReader } from "@kubewright/runtime";
import { findKind } from "../../workload/find-kind.js";
import type { ControllerEnvironment } from "../controller.js";

interface Scaled extends KubeObject {
  readonly spec?: { readonly replicas?: number | undefined } | undefined;
}

/** Caches of the owners that are known beforehand, by kind. */
export type OwnerStores = ReadonlyMap<string, StoreReader<Scaled>>;

/** The kinds whose scale is read from caches. */
export const scaledKinds = [Deployment, ReplicaSet, ReplicationController, StatefulSet] as const;

interface OwnerScale {
  readonly uid: string;
  readonly replicas: number;
}

export interface ExpectedScale {
  readonly replicas: number;
  /** Pods without an owner: nobody says how many there should be. */
  readonly unmanaged: readonly Pod[];
}

/** Adds up; throws when an owner has no scale. */
export async function expectedScale(
  client: ControllerEnvironment["client"],
  stores: OwnerStores,
  pods: readonly Pod[],
): Promise<ExpectedScale> {
  const scales = new Map<string, number>();
  const asked = new Set<string>();
  const unmanaged: Pod[] = [];
  for (const pod of pods) {
    const owner = getControllerOf(pod);
    if (!owner) unmanaged.push(pod);
    if (!owner || asked.has(owner.uid)) continue;
    asked.add(owner.uid);
    const { uid, replicas } = await ownerScale(client, stores, owner, pod.metadata?.namespace);
    scales.set(uid, replicas);
  }
  return { replicas: [...scales.values()].reduce((sum, one) => sum + one, 0), unmanaged };
}

async function ownerScale(
  client: ControllerEnvironment["client"],
  stores: OwnerStores,
  owner: OwnerReference,
  namespace: string | undefined,
): Promise<OwnerScale> {
  const known = stores.get(owner.kind)?.get(keyOf(owner.name, namespace));
  if (known?.metadata?.uid === owner.uid) return topmost(stores, known, namespace);
  const { group = "", version = "" } = parseApiVersion(owner.apiVersion) ?? {};
  const resource = await findKind(client.live, group, version, owner.kind);
  if (!resource?.subresources.includes("scale")) {
    const plural = resource?.plural ?? owner.kind.toLowerCase();
    throw new Error(
      `${group === "" ? plural : `${plural}.${group}`} does not implement the scale subresource`,
    );
  }
  const scale = await client.live.getScale(resource, owner.name, { namespace });
  return { uid: owner.uid, replicas: scale.spec?.replicas ?? 0 };
}

/** The scale of a ReplicaSet is that of its Deployment. */
function topmost(stores: OwnerStores, object: Scaled, namespace: string | undefined): OwnerScale {
  const owner = getControllerOf(object);
  const above =
    owner?.kind === "Deployment" ? stores.get("Deployment")?.get(keyOf(owner.name, namespace)) : undefined;
  const { metadata, spec } = above ?? object;
  return { uid: metadata?.uid ?? "", replicas: spec?.replicas ?? 1 };
}
