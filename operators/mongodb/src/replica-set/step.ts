// The steps: each is one change that is safe by itself, and safe to be the last one before the operator is killed.
import type { Document } from "../client/mongo-member.js";
import type { MemberConfig } from "../client/replica-set-documents.js";
import type { Exchange } from "./certificate-exchange.js";
import type { WantedRole, WantedUser } from "./observed.js";

export type Step =
  /** Nothing is to be done. */
  | { readonly kind: "none" }
  /** Something else has to happen first. */
  | { readonly kind: "wait"; readonly message: string }
  /** Begins the replica set with one member. */
  | { readonly kind: "initiate"; readonly member: string }
  /** Makes the operator's own user, or sets its password anew. */
  | { readonly kind: "create-operator-user"; readonly member: string }
  /** Adds a member without a vote. */
  | { readonly kind: "add-member"; readonly member: string; readonly entry: MemberConfig }
  /** Gives a member that has the data its vote. */
  | { readonly kind: "promote"; readonly member: string }
  | { readonly kind: "add-arbiter"; readonly member: string; readonly entry: MemberConfig }
  | { readonly kind: "remove-member"; readonly member: string; readonly why: string }
  | { readonly kind: "step-down"; readonly member: string; readonly why: string }
  | { readonly kind: "set-horizons"; readonly horizons: readonly Readonly<Record<string, string>>[] }
  /** Deletes a pod, which its StatefulSet makes anew. */
  | { readonly kind: "restart"; readonly member: string; readonly why: string }
  /** A member reads the certificate that it mounts anew. */
  | { readonly kind: "reload-certificate"; readonly member: string }
  /** Gives members another certificate or CA to mount. */
  | ({ readonly kind: "exchange-certificate" } & Exchange)
  | { readonly kind: "create-role"; readonly role: WantedRole }
  | { readonly kind: "update-role"; readonly role: WantedRole }
  | { readonly kind: "drop-role"; readonly role: string; readonly db: string }
  | { readonly kind: "create-user"; readonly user: WantedUser }
  | {
      readonly kind: "update-user";
      readonly user: WantedUser;
      readonly what: "password" | "roles" | "mechanisms";
    }
  | { readonly kind: "drop-user"; readonly user: string; readonly db: string }
  /** Makes the write concern that holds anyway one that was set, since arbiters would change it otherwise. */
  | { readonly kind: "set-write-concern"; readonly concern: Document }
  | { readonly kind: "set-compatibility"; readonly version: string }
  /** Makes a configuration of the members that are left, by force. */
  | { readonly kind: "force"; readonly member: string }
  /** Asks for a larger volume. */
  | { readonly kind: "grow-claim"; readonly claim: string; readonly size: string }
  /** Deletes the StatefulSet and leaves its pods: claim templates cannot change, and it is made anew with another. */
  | { readonly kind: "replace-set"; readonly size: string }
  /** Stops the StatefulSet from making claims, so that claims made by hand can take their place. */
  | { readonly kind: "hold-claims" }
  | { readonly kind: "delete-claim"; readonly claim: string }
  | { readonly kind: "release-claims" };

/** What the replica set is busy with, for people. */
export type Activity =
  | "Creating"
  | "Running"
  | "Scaling"
  | "Updating"
  | "Degraded"
  /** There is a majority, and no primary yet. */
  | "Electing"
  | "MajorityLost"
  | "Paused";

export interface Decision {
  readonly step: Step;
  readonly activity: Activity;
}

export const decision = (activity: Activity, step: Step): Decision => ({ activity, step });

/** The decision to change nothing until something else has happened. */
export const wait = (activity: Activity, message: string): Decision =>
  decision(activity, { kind: "wait", message });
