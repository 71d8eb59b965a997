// What a step is called in the status, and the event that records it.
import type { EventInput } from "@kubewright/runtime";
import type { Step } from "./step.js";

/** The event of a step that was carried out. Texts hold no times and no ids, so that what repeats becomes a series. */
export function eventOf(step: Step): EventInput | undefined {
  switch (step.kind) {
    case "none":
    case "wait":
      return undefined;
    case "start":
      return { reason: "MemberStarted", note: started[step.how](step.member) };
    case "restart":
      return { reason: "MemberRestarted", note: `${step.member} is started again ${step.why}` };
    case "add-learner":
      return { reason: "MemberAdded", note: `${step.member} was added as a learner` };
    case "promote":
      return { reason: "MemberPromoted", note: `${step.member} has caught up and votes from now on` };
    case "move-leader":
      return { reason: "LeaderMoved", note: `${step.from} handed the leadership over to ${step.to}` };
    case "remove-member":
      return step.isFailed
        ? { type: "Warning", reason: "MemberFailed", note: `${step.member} was removed: ${step.why}` }
        : { reason: "MemberRemoved", note: `${step.member} was removed: ${step.why}` };
    case "delete-pod":
      return { reason: "PodDeleted", note: `the pod of ${step.member}, which is no member, was deleted` };
    case "delete-claim":
      return {
        reason: "ClaimDeleted",
        note: `the volume claim of ${step.member}, which is no member, was deleted`,
      };
    case "compact":
      return { reason: "Compacted", note: "history was compacted, because a member is full" };
    case "defragment":
      return { reason: "Defragmented", note: `${step.member} was defragmented` };
    case "disarm":
      return { reason: "AlarmDisarmed", note: `the alarm ${step.alarm} of ${step.member} was cleared` };
  }
}

const started = {
  seed: (member: string) => `${member} starts the cluster`,
  join: (member: string) => `${member} joins the cluster`,
  recover: (member: string) => `${member} restarts the cluster from its own data`,
  guarded: (member: string) => `${member} starts from its volume`,
} as const;

/** A step in a few words. */
export function describe(step: Step): string | undefined {
  switch (step.kind) {
    case "none":
      return undefined;
    case "wait":
      return step.message;
    case "move-leader":
      return `move-leader ${step.from} to ${step.to}`;
    case "compact":
      return "compact";
    default:
      return `${step.kind} ${step.member}`;
  }
}
