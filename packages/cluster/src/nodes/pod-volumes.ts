// The check that the volumes of a pod can be mounted: their sources have to exist, and claims have to be bound.
import type { KeyToPath, PersistentVolumeClaim, Pod, Volume, VolumeProjection } from "@kubewright/api";
import { hasKey, type PodReferences } from "./pod-references.js";
import type { Reference } from "./reference-changes.js";

interface Source {
  readonly volume: string;
  readonly reference: Reference;
  /** Keys that have to be there. */
  readonly keys: readonly string[];
}

/** Volumes of this name hold the token and the certificate of every pod: taken as given. */
const accessVolume = /^kube-api-access-/;

/** The sources of a pod's volumes. */
export function volumeSources({ spec, metadata }: Pod): readonly Source[] {
  return (spec?.volumes ?? []).flatMap((volume) =>
    accessVolume.test(volume.name) ? [] : sourcesOf(volume, metadata?.name ?? ""),
  );
}

/** Why the first volume that cannot be mounted yet cannot, as the kubelet says it; undefined when all can. */
export async function mountProblem(
  references: PodReferences,
  pod: Pod,
  options: { readonly claimsGetBound: boolean },
): Promise<string | undefined> {
  const namespace = pod.metadata?.namespace ?? "";
  for (const { volume, reference, keys } of volumeSources(pod)) {
    const found = await references.find(reference, namespace);
    if (reference.kind === "PersistentVolumeClaim") {
      const why = claimProblem(found, reference.name, options.claimsGetBound);
      if (why === undefined) continue;
      const failed = `unmounted volumes=[${volume}], unattached volumes=[], failed to process volumes=[${volume}]`;
      return `Unable to attach or mount volumes: ${failed}: error processing PVC ${namespace}/${reference.name}: ${why}`;
    }
    const failure = `MountVolume.SetUp failed for volume "${volume}" :`;
    const kind = reference.kind.toLowerCase();
    if (!found) return `${failure} ${kind} "${reference.name}" not found`;
    const missing = keys.find((key) => !hasKey(found, key));
    const what = reference.kind === "Secret" ? "secret" : "config";
    if (missing !== undefined) return `${failure} references non-existent ${what} key: ${missing}`;
  }
  return undefined;
}

function claimProblem(claim: object | undefined, name: string, getBound: boolean): string | undefined {
  if (!claim) return `failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`;
  return getBound && !isBound(claim) ? "PVC is not bound" : undefined;
}

function isBound(claim: Pick<PersistentVolumeClaim, "status">): boolean {
  return claim.status?.phase === "Bound";
}

function sourcesOf(volume: Volume, pod: string): readonly Source[] {
  const { configMap, secret, projected, persistentVolumeClaim: claim, ephemeral } = volume;
  const source = (
    kind: Reference["kind"],
    name: string | undefined,
    items?: readonly KeyToPath[],
  ): Source[] =>
    name
      ? [{ volume: volume.name, reference: { kind, name }, keys: (items ?? []).map(({ key }) => key) }]
      : [];
  if (configMap) return configMap.optional ? [] : source("ConfigMap", configMap.name, configMap.items);
  if (secret) return secret.optional ? [] : source("Secret", secret.secretName, secret.items);
  if (claim) return source("PersistentVolumeClaim", claim.claimName);
  if (ephemeral) return source("PersistentVolumeClaim", `${pod}-${volume.name}`);
  return (projected?.sources ?? []).flatMap((each: VolumeProjection) => {
    if (each.configMap && !each.configMap.optional)
      return source("ConfigMap", each.configMap.name, each.configMap.items);
    if (each.secret && !each.secret.optional) return source("Secret", each.secret.name, each.secret.items);
    return [];
  });
}
