// What a spec asks for, in terms of members: an odd number, and a version that the present one may become.
import { defaultVersion, type EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { sizeFor } from "./load.js";
import { type TlsSecrets, templateHash } from "./member-pod.js";
import { recoverAnnotation } from "./names.js";
import type { Wanted } from "./observed.js";
import { compareVersions, versionChange } from "./version-path.js";

type Load = NonNullable<NonNullable<EtcdCluster["status"]>["load"]>;

const defaultGrace = 300;
/** etcd's own default. */
const defaultQuota = 2 * 1024 ** 3;
const largestCluster = 7;

/** Something asked for that is not done as asked. */
export interface Objection {
  readonly reason:
    | "Downgrade"
    | "MinorSkipped"
    | "MajorChanged"
    | "RoundedToOdd"
    | "StorageNotShrunk"
    | "CertificatesUnusable";
  readonly message: string;
}

export interface Reading {
  readonly wanted: Wanted;
  readonly objections: readonly Objection[];
}

/** What the spec is read beside. */
export interface Found {
  /** The versions that the members were started as. */
  readonly versions: readonly string[];
  readonly secrets: TlsSecrets;
  readonly load: Load | undefined;
  readonly obstacle: string | undefined;
  /** What is wrong with a Secret of certificates. */
  readonly certificates: string | undefined;
  readonly now: number;
}

/** Reads the spec, given the versions that the members were started as. */
export function readSpec(cluster: EtcdCluster, found: Found): Reading {
  const { versions, secrets, load, obstacle, certificates, now } = found;
  const size = sizeOf(cluster, load, now);
  const { version, objection } = versionOf(cluster, versions);
  const { spec, status, metadata } = cluster;
  const recoverFrom = metadata.annotations?.[recoverAnnotation];
  return {
    wanted: {
      replicas: size.replicas,
      version,
      hash: templateHash(cluster, version, secrets),
      isPaused: spec.paused === true,
      failureGrace: (spec.failureGraceSeconds ?? defaultGrace) * 1_000,
      recoverFrom: recoverFrom && recoverFrom !== status?.recoveredBy ? recoverFrom : undefined,
      obstacle,
      quota: quotaOf(cluster),
    },
    objections: [
      ...(size.objection ? [size.objection] : []),
      ...(objection ? [objection] : []),
      ...(certificates ? [{ reason: "CertificatesUnusable", message: certificates } as const] : []),
    ],
  };
}

/** The number of members aimed at. Even numbers come through the scale subresource, where nothing refuses them. */
function sizeOf(
  cluster: EtcdCluster,
  load: Load | undefined,
  now: number,
): { replicas: number; objection?: Objection } {
  const { spec, status } = cluster;
  if (spec.autoscaling)
    return { replicas: roundToOdd(sizeFor(cluster, status?.desiredReplicas ?? spec.replicas, load, now)) };
  const replicas = roundToOdd(spec.replicas);
  if (replicas === spec.replicas) return { replicas };
  const message = `${spec.replicas} members would survive no more failures than ${spec.replicas - 1}: ${replicas} are made`;
  return { replicas, objection: { reason: "RoundedToOdd", message } };
}

export const roundToOdd = (replicas: number): number =>
  Math.min(largestCluster, replicas % 2 === 0 ? replicas + 1 : replicas);

/** A change that is refused leaves the version as it is; one that is half done is finished. */
function versionOf(
  { spec }: EtcdCluster,
  versions: readonly string[],
): { version: string; objection?: Objection } {
  const asked = spec.version ?? defaultVersion;
  const ordered = versions.filter((version) => version !== "").toSorted(compareVersions);
  const [lowest] = ordered;
  if (lowest === undefined) return { version: asked };
  const change = versionChange(lowest, asked);
  if (change.kind !== "refused") return { version: asked };
  const { reason, message } = change;
  return { version: ordered.at(-1) ?? lowest, objection: { reason, message } };
}

function quotaOf({ spec }: EtcdCluster): number {
  const given = spec.etcdOptions?.["quota-backend-bytes"];
  const bytes = given === undefined ? 0 : Number(given);
  return bytes > 0 ? bytes : defaultQuota;
}
