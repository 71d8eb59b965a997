// The sizes of volumes: what is asked for, what claims have, and what the StatefulSet would give to further ones. Volumes grow and never
// shrink.
import {
  compareQuantities,
  type PersistentVolumeClaim,
  type StatefulSet,
  type StatefulSetSpec,
} from "@kubewright/api";
import { defaultStorage, type MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { clusterLabel, dataVolume } from "./names.js";
import type { Objection } from "./objection.js";
import type { Storage } from "./observed.js";

function requestOf(claim: PersistentVolumeClaim | undefined): string | undefined {
  const storage = claim?.spec?.resources?.requests?.["storage"];
  return storage === undefined ? undefined : String(storage);
}

const templateIn = (spec: Partial<StatefulSetSpec> | undefined): PersistentVolumeClaim | undefined =>
  spec?.volumeClaimTemplates?.find(({ metadata }) => metadata?.name === dataVolume);

/** The size of each member's volume: of the template in the spec, or of its own field. */
export function sizeOf({ spec }: MongoDBCommunity): string {
  const given = requestOf(templateIn(spec.statefulSet?.spec as Partial<StatefulSetSpec> | undefined));
  return given ?? String(spec.storage ?? defaultStorage);
}

export function storageOf(
  mongodb: MongoDBCommunity,
  claims: readonly PersistentVolumeClaim[],
  present: StatefulSet | undefined,
): { readonly storage: Storage; readonly objection: Objection | undefined } {
  const size = sizeOf(mongodb);
  const own = claims.filter(({ metadata, spec }) => metadata?.labels?.[clusterLabel] && spec?.volumeName);
  const order = (claim: PersistentVolumeClaim | undefined): number =>
    compareQuantities(size, requestOf(claim) ?? size);
  const larger = own.find((claim) => order(claim) < 0);
  const objection: Objection | undefined = larger && {
    reason: "StorageNotShrunk",
    message: `volumes of ${requestOf(larger)} cannot shrink to ${size}: restore a backup into a new replica set`,
  };
  const smaller = own.filter((claim) => order(claim) > 0).map(({ metadata }) => metadata?.name ?? "");
  return {
    objection,
    storage: { size, smaller, isTemplateOld: !larger && order(templateIn(present?.spec)) !== 0 },
  };
}
