// What an Event says: about which object, by whom, and what.
import {
  apiVersionOf,
  type EventsV1Event,
  formatMicroTime,
  type KubeObject,
  type ObjectReference,
} from "@kubewright/api";
import type { AnyResource } from "../kinds.js";
import type { EventInput } from "../reconcile-context.js";

/** Who reports an event, and when. */
export interface EventOrigin {
  readonly controller: string;
  readonly instance: string;
  readonly random: () => number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The longest texts the server takes. */
const maxNote = 1024;
const maxWord = 128;

/** The Event to create. */
export function describeEvent(
  resource: AnyResource,
  object: KubeObject,
  input: EventInput,
  { controller, instance, random, now }: EventOrigin,
): EventsV1Event {
  const { name = "", namespace } = object.metadata ?? {};
  const { type = "Normal", reason, note, action = reason, related } = input;
  return {
    metadata: {
      name: `${name}.${suffix(now, random)}`,
      // Cluster-scoped objects have their events here.
      namespace: namespace ?? "default",
    },
    eventTime: formatMicroTime(now),
    type,
    reason: reason.slice(0, maxWord),
    action: action.slice(0, maxWord),
    note: note.length > maxNote ? `${note.slice(0, maxNote - 1)}…` : note,
    reportingController: controller,
    reportingInstance: instance.slice(0, maxWord),
    regarding: referenceTo(object, resource),
    related: related && referenceTo(related),
  };
}

/** Equal for events that are one event repeated. */
export function sameEvent(resource: AnyResource, object: KubeObject, input: EventInput): string {
  const { type, reason, action, note, related } = input;
  const { uid, name, namespace } = object.metadata ?? {};
  return JSON.stringify([
    resource.kind,
    namespace,
    name,
    uid,
    type,
    reason,
    action,
    note,
    related?.metadata?.uid,
  ]);
}

function referenceTo(object: KubeObject, resource?: AnyResource): ObjectReference {
  const { name, namespace, uid, resourceVersion } = object.metadata ?? {};
  return {
    apiVersion: resource ? apiVersionOf(resource) : object.apiVersion,
    kind: resource?.kind ?? object.kind,
    name,
    namespace,
    uid,
    resourceVersion,
  };
}

/** Time, and chance for what happens at the same time: names must not repeat. */
function suffix(now: number, random: () => number): string {
  const chance = Math.floor(random() * 0x1_0000)
    .toString(16)
    .padStart(4, "0");
  return `${Math.floor(now).toString(16)}${chance}`;
}
