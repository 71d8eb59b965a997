// What a step is called in the status, and the event that records it.
import type { EventInput } from "@kubewright/runtime";
import type { Step } from "./step.js";

/** The event of a step that was carried out. Texts hold no times and no ids, so that what repeats becomes a series. */
export function eventOf(step: Step): EventInput | undefined {
  switch (step.kind) {
    case "none":
    case "wait":
      return undefined;
    case "initiate":
      return { reason: "Initiated", note: `${step.member} began the replica set` };
    case "create-operator-user":
      return { reason: "OperatorUserSet", note: "the operator's own user was made, or got a new password" };
    case "add-member":
      return { reason: "MemberAdded", note: `${step.member} was added without a vote` };
    case "add-arbiter":
      return { reason: "MemberAdded", note: `${step.member} was added as an arbiter` };
    case "promote":
      return { reason: "MemberPromoted", note: `${step.member} has the data and votes from now on` };
    case "remove-member":
      return { reason: "MemberRemoved", note: `${step.member} was removed: ${step.why}` };
    case "step-down":
      return { reason: "PrimarySteppedDown", note: `${step.member} stepped down: ${step.why}` };
    case "set-horizons":
      return { reason: "HorizonsSet", note: "the members' addresses as seen from elsewhere were set" };
    case "restart":
      return { reason: "MemberRestarted", note: `${step.member} is started again ${step.why}` };
    case "reload-certificate":
      return { reason: "CertificateReloaded", note: `${step.member} shows its new certificate` };
    case "exchange-certificate":
      return { reason: "CertificateExchanged", note: step.what };
    case "create-role":
      return { reason: "RoleCreated", note: `the role ${step.role.role} of ${step.role.db} was made` };
    case "update-role":
      return { reason: "RoleUpdated", note: `the role ${step.role.role} of ${step.role.db} was changed` };
    case "drop-role":
      return { reason: "RoleDropped", note: `the role ${step.role} of ${step.db} was dropped` };
    case "create-user":
      return { reason: "UserCreated", note: `the user ${step.user.name} of ${step.user.db} was made` };
    case "update-user":
      return {
        reason: "UserUpdated",
        note: `the ${step.what} of the user ${step.user.name} of ${step.user.db} changed`,
      };
    case "drop-user":
      return { reason: "UserDropped", note: `the user ${step.user} of ${step.db} was dropped` };
    case "set-write-concern":
      return {
        reason: "WriteConcernSet",
        note: `the default write concern is set to what it is, w: ${step.concern["w"]}, before arbiters change it`,
      };
    case "set-compatibility":
      return { reason: "CompatibilitySet", note: `the feature compatibility version is ${step.version}` };
    case "force":
      return {
        type: "Warning",
        reason: "Forced",
        note: `${step.member} goes on alone, by force; the others join it anew`,
      };
    case "grow-claim":
      return { reason: "ClaimGrown", note: `${step.claim} asks for ${step.size}` };
    case "replace-set":
      return {
        reason: "StatefulSetReplaced",
        note: `the StatefulSet is made anew around its pods, with claims of ${step.size}`,
      };
    case "hold-claims":
      return {
        reason: "ClaimsAwaited",
        note: "claims were deleted: they can be made by hand for ten minutes",
      };
    case "delete-claim":
      return { reason: "ClaimDeleted", note: `${step.claim}, which had no volume, was deleted` };
    case "release-claims":
      return { reason: "ClaimsTaken", note: "pods start with the claims that are there" };
  }
}

/** A step in a few words. */
export function describe(step: Step): string | undefined {
  switch (step.kind) {
    case "none":
      return undefined;
    case "wait":
      return step.message;
    case "create-role":
    case "update-role":
      return `${step.kind} ${step.role.role}`;
    case "drop-role":
      return `${step.kind} ${step.role}`;
    case "create-user":
    case "update-user":
      return `${step.kind} ${step.user.name}`;
    case "drop-user":
      return `${step.kind} ${step.user}`;
    case "set-compatibility":
      return `${step.kind} ${step.version}`;
    case "delete-claim":
    case "grow-claim":
      return `${step.kind} ${step.claim}`;
    case "exchange-certificate":
      return `${step.kind}: ${step.what}`;
    case "set-write-concern":
    case "set-horizons":
    case "replace-set":
    case "hold-claims":
    case "release-claims":
      return step.kind;
    default:
      return `${step.kind} ${step.member}`;
  }
}
