// Files of one volume that end up at the same path, or one inside the other.
import type { Volume, VolumeProjection } from "@kubewright/api";

interface File {
  readonly path: string;
  /** Which part of a projected volume it comes from; empty where a volume has one source only. */
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
  const known: File[] = [];
  return files.flatMap(({ path, source }) => {
    const file = { path: path.replace(/\/{1,100}$/, ""), source };
    const found = known.filter((other) => isWithin(file.path, other.path) || isWithin(other.path, file.path));
    known.push(file);
    return found.map((other) => `${shown(file)} with ${shown(other)}`);
  });
}

const isWithin = (path: string, folder: string): boolean =>
  path !== "" && folder !== "" && `${path}/`.startsWith(`${folder}/`);

const shown = ({ path, source }: File): string => (source === "" ? `"${path}"` : `"${path}" (${source})`);
