// Files of one volume that end up at the same path, or one inside the other.
import type { Volume, VolumeProjection } from "@kubewright/api";
import { maxWarnings } from "../strategy.js";

interface File {
  readonly path: string;
  /** The source of a projected volume it comes from; empty where a volume has one source only. */
  readonly source: string;
}

type Items = readonly { readonly path: string }[] | undefined;

/** Warnings for the volumes of a pod. */
export function overlappingPathWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap(({ name, configMap, secret, downwardAPI, projected }) => {
    const warn = (kind: string, files: readonly File[]): string[] =>
      overlaps(files).map((text) => `volume "${name}" (${kind}): overlapping paths: ${text}`);
    return [
      ...(configMap ? warn(`ConfigMap "${configMap.name ?? ""}"`, filesOf(configMap.items, "")) : []),
      ...(secret ? warn(`Secret "${secret.secretName ?? ""}"`, filesOf(secret.items, "")) : []),
      ...(downwardAPI ? warn("DownwardAPI", filesOf(downwardAPI.items, "")) : []),
      ...(projected?.sources ?? [])
        .filter((source) => Object.keys(source).length === 0)
        .map(() => `volume "${name}" (Projected) has no sources provided`),
      ...(projected ? warn("Projected", (projected.sources ?? []).flatMap(projectedFiles)) : []),
    ];
  });
}

const filesOf = (items: Items, source: string): File[] => (items ?? []).map(({ path }) => ({ path, source }));

function projectedFiles(source: VolumeProjection): File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (configMap?.items) return filesOf(configMap.items, `ConfigMap "${configMap.name ?? ""}"`);
  if (secret?.items) return filesOf(secret.items, `Secret "${secret.name ?? ""}"`);
  if (downwardAPI?.items) return filesOf(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return filesOf([serviceAccountToken], "ServiceAccountToken");
  if (clusterTrustBundle) {
    const name = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? "";
    return filesOf([clusterTrustBundle], `ClusterTrustBundle "${name}"`);
  }
  const parts = [
    [podCertificate?.certificateChainPath, "PodCertificate chain"],
    [podCertificate?.keyPath, "PodCertificate key"],
    [podCertificate?.credentialBundlePath, "PodCertificate credential bundle"],
  ] as const;
  return parts.flatMap(([path, part]) => (path ? [{ path, source: part }] : []));
}

function overlaps(files: readonly File[]): string[] {
  const known: Place = newPlace();
  const texts: string[] = [];
  for (const [index, { path, source }] of files.entries()) {
    const file = { path: path.replace(/\/{1,100}$/, ""), source, index };
    if (file.path === "") continue;
    const found = add(known, file).sort((a, b) => a.index - b.index);
    for (const other of found) texts.push(`${shown(file)} with ${shown(other)}`);
    if (texts.length >= maxWarnings) break;
  }
  return texts;
}

interface Placed extends File {
  readonly index: number;
}

/** A name in the tree of all paths. */
interface Place {
  readonly inside: Map<string, Place>;
  /** Files that are here. */
  readonly here: Placed[];
  /** Files further down. */
  readonly below: Placed[];
}

const newPlace = (): Place => ({ inside: new Map(), here: [], below: [] });

/** Adds a file; gives back those it is the same as, inside of, or around, so far as there are not too many. */
function add(root: Place, file: Placed): Placed[] {
  const found: Placed[] = [];
  let place = root;
  for (const name of file.path.split("/")) {
    if (place !== root) {
      found.push(...place.here);
      place.below.push(file);
    }
    const next = place.inside.get(name) ?? newPlace();
    place.inside.set(name, next);
    place = next;
  }
  found.push(...place.here.slice(0, maxWarnings), ...place.below.slice(0, maxWarnings));
  place.here.push(file);
  return found;
}

const shown = ({ path, source }: File): string => (source === "" ? `"${path}"` : `"${path}" (${source})`);
