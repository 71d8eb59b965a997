// The best existing volume for a claim: one that is reserved for it, else the smallest that is large enough.
import {
  Amount,
  LabelMatcher,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from "@kubewright/api";
import { classOf, isFor, isReachable } from "./claim-binding.js";

export interface MatchOptions {
  /** Where the volume is to be used, once that is known. */
  readonly node?: Node | undefined;
  /** Volumes that are spoken for. */
  readonly taken?: ReadonlySet<string> | undefined;
  /** The claim waits for a pod, and no node is chosen: only a volume that names it will do. */
  readonly isWaiting?: boolean | undefined;
}

/** The volume to bind to a claim, if there is one. */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  options: MatchOptions = {},
): PersistentVolume | undefined {
  const wanted = Amount.parse(claim.spec?.resources?.requests?.["storage"] ?? "0");
  const selector = claim.spec?.selector ? LabelMatcher.from(claim.spec.selector) : LabelMatcher.everything;
  let best: PersistentVolume | undefined;
  let bestSize: Amount | undefined;
  for (const volume of volumes) {
    const size = Amount.parse(volume.spec?.capacity?.["storage"] ?? "0");
    if (size.compare(wanted) < 0 || !isUsable(volume, claim, options)) continue;
    if (isFor(volume, claim)) return volume;
    const isFree = !options.isWaiting && !volume.spec?.claimRef && volume.status?.phase === "Available";
    if (!isFree || classOf(volume) !== classOf(claim) || !selector.matches(volume.metadata?.labels)) continue;
    if (!bestSize || size.compare(bestSize) < 0) [best, bestSize] = [volume, size];
  }
  return best;
}

function isUsable(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  { node, taken }: MatchOptions,
): boolean {
  if (volume.metadata?.deletionTimestamp || taken?.has(volume.metadata?.name ?? "")) return false;
  if (!hasModes(volume, claim) || !hasSameMode(volume, claim)) return false;
  return !node || isReachable(volume, node);
}

/** Whether the volume can be mounted in every way the claim asks for. */
export function hasModes({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode));
}

/** Whether both are file systems or both are block devices. */
export function hasSameMode({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (spec?.volumeMode ?? "Filesystem") === (claim.spec?.volumeMode ?? "Filesystem");
}
