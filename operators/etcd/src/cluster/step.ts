// The steps: each is one change that is safe by itself, and safe to be the last one before the operator is killed.
import type { AlarmType } from "../client/etcd-client.js";
import type { StartMode } from "./observed.js";

export type Step =
  /** Nothing is to be done. */
  | { readonly kind: "none" }
  /** Something else has to happen first. */
  | { readonly kind: "wait"; readonly message: string }
  /** Makes the claim of a member and its pod, where there is none. */
  | { readonly kind: "start"; readonly member: string; readonly how: StartMode }
  /** Deletes a pod whose member stays; the next step starts it again. */
  | { readonly kind: "restart"; readonly member: string; readonly why: string }
  | { readonly kind: "add-learner"; readonly member: string }
  | { readonly kind: "promote"; readonly member: string; readonly id: string }
  | { readonly kind: "move-leader"; readonly from: string; readonly to: string; readonly id: string }
  | {
      readonly kind: "remove-member";
      readonly member: string;
      readonly id: string;
      readonly why: string;
      readonly isFailed: boolean;
    }
  /** Deletes the pod of a member that is no more. */
  | { readonly kind: "delete-pod"; readonly member: string }
  /** Deletes the claim of a member that is no more. */
  | { readonly kind: "delete-claim"; readonly member: string }
  | { readonly kind: "compact"; readonly revision: number }
  | { readonly kind: "defragment"; readonly member: string }
  | { readonly kind: "disarm"; readonly member: string; readonly id: string; readonly alarm: AlarmType };

/** What the cluster is busy with, for people. */
export type Phase =
  | "Creating"
  | "Running"
  | "Scaling"
  | "Upgrading"
  | "Updating"
  | "Replacing"
  | "Degraded"
  | "QuorumLost"
  | "Paused";

export interface Decision {
  readonly step: Step;
  readonly phase: Phase;
}
