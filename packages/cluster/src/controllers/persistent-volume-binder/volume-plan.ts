// The next phase of a volume, given the claim it names.
import type { PersistentVolume, PersistentVolumeClaim } from "@kubewright/api";
import { boundByController } from "../../volumes/claim-binding.js";

export type VolumePlan =
  | { readonly do: "set"; readonly phase: "Available" | "Bound" | "Released" }
  /** Its claim is gone and nobody wants the data. */
  | { readonly do: "delete" }
  /** Its claim took another one: it is free again. */
  | { readonly do: "unbind" }
  /** The claim has to say first. */
  | { readonly do: "wait" };

/** `claim` is the one the volume names, whatever its uid. */
export function planVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumePlan {
  const ref = volume.spec?.claimRef;
  // Without a uid somebody reserved the volume; it becomes the claim's when the claim comes.
  if (!ref?.uid) return { do: "set", phase: "Available" };
  if (!claim || claim.metadata?.uid !== ref.uid) return released(volume);
  const name = claim.spec?.volumeName;
  if (!name) return { do: "wait" };
  if (name === volume.metadata?.name) return { do: "set", phase: "Bound" };
  const annotations = volume.metadata?.annotations ?? {};
  if (annotations["pv.kubernetes.io/provisioned-by"] !== undefined && reclaimsByDeleting(volume))
    return released(volume);
  return annotations[boundByController] === undefined ? { do: "set", phase: "Available" } : { do: "unbind" };
}

function released(volume: PersistentVolume): VolumePlan {
  if (volume.status?.phase !== "Released") return { do: "set", phase: "Released" };
  return reclaimsByDeleting(volume) ? { do: "delete" } : { do: "set", phase: "Released" };
}

const reclaimsByDeleting = ({ spec }: PersistentVolume): boolean =>
  spec?.persistentVolumeReclaimPolicy === "Delete";
