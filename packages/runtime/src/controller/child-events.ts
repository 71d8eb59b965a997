// Events about the children of an object, so that `kubectl describe` of it reads as a history: created, updated, healed, deleted.
// They report what the runtime did; a reconcile that changes nothing records none.
import type { KubeObject } from "@kubewright/api";
import type { Applied } from "./apply/applier.js";
import type { AnyResource } from "./kinds.js";
import type { EventInput } from "./reconcile-context.js";

/** The event about a child that was applied; undefined when nothing had to be changed. */
export function appliedEvent({ kind }: AnyResource, { object, change }: Applied): EventInput | undefined {
  const child = `${kind} ${object.metadata?.name}`;
  switch (change?.kind) {
    case "created":
      return event("Created", `${child} created`);
    case "recreated":
      return event("Healed", `${child} created again: it was deleted`);
    case "updated":
      return event("Updated", `${child} updated`);
    case "corrected":
      return event("Healed", `${child} corrected: ${change.path || "it"} was changed`);
    default:
      return undefined;
  }
}

/** The event about a child that is no longer declared. */
export function prunedEvent({ kind }: AnyResource, { metadata }: KubeObject): EventInput {
  return event("Deleted", `${kind} ${metadata?.name} deleted: it is no longer declared`);
}

function event(reason: string, note: string): EventInput {
  return { type: "Normal", reason, action: "Reconcile", note };
}
