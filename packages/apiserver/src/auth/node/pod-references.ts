// The Secrets, ConfigMaps and claims that a pod references, which its node may therefore read.
import type { Container, EphemeralContainer, Pod, Volume } from "@kubewright/api";

export type ReferenceKind =
  | "secrets"
  | "configmaps"
  | "persistentvolumeclaims"
  | "resourceclaims"
  | "serviceaccounts";

/** Pods that kubelets make to show what they run by themselves; they give no rights. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";

/** Whether the pod refers to an object. */
export function refersTo(pod: Pod, kind: ReferenceKind, name: string): boolean {
  for (const found of references(pod, kind)) if (found === name) return true;
  return false;
}

/** The names a pod refers to, some of them more than once, or undefined. */
export function references(pod: Pod, kind: ReferenceKind): Iterable<string | undefined> {
  switch (kind) {
    case "secrets":
      return secrets(pod);
    case "configmaps":
      return configMaps(pod);
    case "persistentvolumeclaims":
      return claims(pod);
    case "resourceclaims":
      return resourceClaims(pod);
    case "serviceaccounts":
      return [pod.spec?.serviceAccountName];
  }
}

function containersOf({ spec }: Pod): readonly (Container | EphemeralContainer)[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
}

function* secrets(pod: Pod): Iterable<string | undefined> {
  for (const { name } of pod.spec?.imagePullSecrets ?? []) yield name;
  for (const { env, envFrom } of containersOf(pod)) {
    for (const { secretRef } of envFrom ?? []) yield secretRef?.name;
    for (const { valueFrom } of env ?? []) yield valueFrom?.secretKeyRef?.name;
  }
  for (const volume of pod.spec?.volumes ?? []) yield* volumeSecrets(volume);
}

function* volumeSecrets(volume: Volume): Iterable<string | undefined> {
  yield volume.secret?.secretName;
  for (const { secret } of volume.projected?.sources ?? []) yield secret?.name;
  yield volume.azureFile?.secretName;
  const { cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = volume;
  for (const { secretRef } of [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].filter(
    (source) => source !== undefined,
  ))
    yield secretRef?.name;
  yield csi?.nodePublishSecretRef?.name;
}

function* configMaps(pod: Pod): Iterable<string | undefined> {
  for (const { env, envFrom } of containersOf(pod)) {
    for (const { configMapRef } of envFrom ?? []) yield configMapRef?.name;
    for (const { valueFrom } of env ?? []) yield valueFrom?.configMapKeyRef?.name;
  }
  for (const { configMap, projected } of pod.spec?.volumes ?? []) {
    yield configMap?.name;
    for (const source of projected?.sources ?? []) yield source.configMap?.name;
  }
}

function* claims({ metadata, spec }: Pod): Iterable<string | undefined> {
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    yield persistentVolumeClaim?.claimName;
    if (ephemeral) yield `${metadata?.name}-${name}`;
  }
}

function* resourceClaims({ spec, status }: Pod): Iterable<string | undefined> {
  for (const { resourceClaimName } of spec?.resourceClaims ?? []) yield resourceClaimName;
  for (const { resourceClaimName } of status?.resourceClaimStatuses ?? []) yield resourceClaimName;
  yield status?.extendedResourceClaimStatus?.resourceClaimName;
}
