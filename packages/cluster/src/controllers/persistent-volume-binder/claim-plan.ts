// Plans the next step for a PersistentVolumeClaim: bind, wait, provision or mark as lost.
import {
  Amount,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from "@kubewright/api";
import {
  bindCompleted,
  boundByController,
  classOf,
  isFor,
  noProvisioner,
  selectedNode,
  waitsForConsumer,
} from "../../volumes/claim-binding.js";
import { findVolume, hasModes, hasSameMode } from "../../volumes/match-volume.js";

export interface ClaimContext {
  /** Volumes that may suit the claim: of its class, or made for it. */
  readonly candidates: Iterable<PersistentVolume>;
  volume(name: string): PersistentVolume | undefined;
  readonly storageClass: StorageClass | undefined;
  /** The name of a pod that uses the claim and has no node yet. */
  readonly waitingPod?: string | undefined;
}

/** An event about a claim. */
export interface Note {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export type ClaimPlan =
  | { readonly do: "bind"; readonly volume: PersistentVolume }
  | { readonly do: "wait"; readonly note?: Note | undefined }
  | { readonly do: "provision"; readonly provisioner: string }
  | { readonly do: "lose"; readonly note: Note };

const normal = (reason: string, message: string): Note => ({ type: "Normal", reason, message });
const warning = (reason: string, message: string): Note => ({ type: "Warning", reason, message });

export function planClaim(claim: PersistentVolumeClaim, context: ClaimContext): ClaimPlan {
  const isBound = claim.metadata?.annotations?.[bindCompleted] !== undefined;
  if (isBound) return planBound(claim, context);
  return claim.spec?.volumeName ? planNamed(claim, context) : planUnbound(claim, context);
}

function planBound(claim: PersistentVolumeClaim, context: ClaimContext): ClaimPlan {
  const name = claim.spec?.volumeName;
  const lost = (reason: string, text: string): ClaimPlan => ({ do: "lose", note: warning(reason, text) });
  if (!name)
    return lost(
      "ClaimLost",
      "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    );
  const volume = context.volume(name);
  if (!volume)
    return lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  if (!volume.spec?.claimRef || isFor(volume, claim)) return { do: "bind", volume };
  return lost("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

/** Somebody chose the volume beforehand. */
function planNamed(claim: PersistentVolumeClaim, context: ClaimContext): ClaimPlan {
  const volume = context.volume(claim.spec?.volumeName ?? "");
  if (!volume) return { do: "wait" };
  if (volume.spec?.claimRef && !isFor(volume, claim)) {
    const isOurs = claim.metadata?.annotations?.[boundByController] !== undefined;
    const text = "volume already bound to a different claim.";
    return { do: "wait", note: isOurs ? undefined : warning("FailedBinding", text) };
  }
  const problem = mismatch(volume, claim);
  if (problem === undefined || volume.spec?.claimRef) return { do: "bind", volume };
  const text = `Cannot bind to requested volume "${volume.metadata?.name}": ${problem}`;
  return { do: "wait", note: warning("VolumeMismatch", text) };
}

function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const wanted = Amount.parse(claim.spec?.resources?.requests?.["storage"] ?? "0");
  if (Amount.parse(volume.spec?.capacity?.["storage"] ?? "0").compare(wanted) < 0)
    return "requested PV is too small";
  if (classOf(volume) !== classOf(claim)) return "storageClassName does not match";
  if (!hasSameMode(volume, claim)) return "incompatible volumeMode";
  return hasModes(volume, claim) ? undefined : "incompatible accessMode";
}

function planUnbound(claim: PersistentVolumeClaim, context: ClaimContext): ClaimPlan {
  const isChosen = claim.metadata?.annotations?.[selectedNode] !== undefined;
  const isWaiting = waitsForConsumer(context.storageClass) && !isChosen;
  const volume = findVolume(claim, context.candidates, { isWaiting });
  if (volume) return { do: "bind", volume };
  if (isWaiting) return { do: "wait", note: consumerNote(context.waitingPod) };
  if (!classOf(claim)) {
    const text = "no persistent volumes available for this claim and no storage class is set";
    return { do: "wait", note: normal("FailedBinding", text) };
  }
  if (!context.storageClass) {
    const text = `storageclass.storage.k8s.io "${classOf(claim)}" not found`;
    return { do: "wait", note: warning("ProvisioningFailed", text) };
  }
  const { provisioner } = context.storageClass;
  if (provisioner !== noProvisioner) return { do: "provision", provisioner };
  return {
    do: "wait",
    note: normal("FailedBinding", "no volume plugin matched name: kubernetes.io/no-provisioner"),
  };
}

function consumerNote(pod: string | undefined): Note {
  return pod === undefined
    ? normal("WaitForFirstConsumer", "waiting for first consumer to be created before binding")
    : normal("WaitForPodScheduled", `waiting for pod ${pod} to be scheduled`);
}
