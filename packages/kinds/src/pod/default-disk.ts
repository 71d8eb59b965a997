// Defaults of volume sources that pods and PersistentVolumes share.
import type { Draft, PersistentVolumeSpec, Volume } from "@kubewright/api";

/** Fills in the defaults of a disk. */
export function defaultDisk(source: Draft<Volume> | Draft<PersistentVolumeSpec>): void {
  const { hostPath, iscsi, rbd, azureDisk, scaleIO } = source;
  if (hostPath) hostPath.type ??= "";
  if (iscsi) iscsi.iscsiInterface ||= "default";
  if (rbd) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.kind ??= "Shared";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
  }
  if (scaleIO) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
}
