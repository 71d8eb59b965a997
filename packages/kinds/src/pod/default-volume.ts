// Defaults of volumes: file modes and fields of their sources.
import type { Draft, ProjectedVolumeSource, Volume } from "@kubewright/api";
import { roundResources } from "../resource-lists.js";
import { pullPolicyFor } from "./default-container.js";
import { defaultDisk } from "./default-disk.js";

const readable = 0o644;

/** A volume that names no source is an empty directory. */
export function defaultVolume(volume: Draft<Volume>): void {
  const { name: _name, ...sources } = volume;
  if (Object.values(sources).every((source) => source === undefined || source === null)) volume.emptyDir = {};
  const { secret, configMap, downwardAPI, projected, image, ephemeral } = volume;
  if (secret) secret.defaultMode ??= readable;
  if (configMap) configMap.defaultMode ??= readable;
  if (downwardAPI) {
    downwardAPI.defaultMode ??= readable;
    defaultFieldRefs(downwardAPI.items);
  }
  if (projected) defaultProjection(projected);
  if (image) image.pullPolicy ||= pullPolicyFor(image.reference);
  const claim = ephemeral?.volumeClaimTemplate?.spec;
  if (claim) {
    claim.volumeMode ??= "Filesystem";
    roundResources(claim.resources?.limits);
    roundResources(claim.resources?.requests);
  }
  defaultDisk(volume);
}

type Files = NonNullable<Draft<Volume>["downwardAPI"]>["items"];

function defaultFieldRefs(files: Files): void {
  for (const { fieldRef } of files ?? []) if (fieldRef) fieldRef.apiVersion ||= "v1";
}

function defaultProjection(projected: Draft<ProjectedVolumeSource>): void {
  projected.defaultMode ??= readable;
  for (const { serviceAccountToken, downwardAPI } of projected.sources ?? []) {
    if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
    defaultFieldRefs(downwardAPI?.items);
  }
}
