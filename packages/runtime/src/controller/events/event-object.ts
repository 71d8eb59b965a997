// Builds Event objects: the regarding object, the reporting controller, the reason and the note.
import {
  apiVersionOf,
  type EventsV1Event,
  formatMicroTime,
  type KubeObject,
  type ObjectReference,
} from "@kubewright/api";
import type { AnyResource } from "../kinds.js";
import type { EventInput } from "../reconcile-context.js";

/** The reporter of an event, and its time. */
export interface EventOrigin {
  readonly controller: string;
  readonly instance: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Differs from one event to the next. */
  readonly serial: number;
}

/** The longest texts the server takes. */
const maxNote = 1024;
const maxWord = 128;
/** Of a DNS subdomain, which names of events are. */
const maxName = 253;

/** The Event to create. */
export function describeEvent(
  resource: AnyResource,
  object: KubeObject,
  input: EventInput,
  { controller, instance, now, serial }: EventOrigin,
): EventsV1Event {
  const { name = "", namespace } = object.metadata ?? {};
  const { type = "Normal", reason, note, action = reason, related } = input;
  return {
    metadata: {
      name: nameFor(name, suffix(now, serial)),
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
  return JSON.stringify([objectOf(resource, object), type, reason, action, note, related?.metadata?.uid]);
}

/** The object an event is about. */
export function objectOf({ kind }: AnyResource, { metadata = {} }: KubeObject): string {
  return `${kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""} ${metadata.uid ?? ""}`;
}

/** The event's name begins with the object's, as far as there is room for the suffix. */
function nameFor(object: string, suffix: string): string {
  const room = maxName - suffix.length - 1;
  const start = object.length > room ? object.slice(0, room).replace(/[^a-z0-9]+$/, "") : object;
  return `${start}.${suffix}`;
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

/** The number of events of one millisecond that have names of their own. */
export const serials = 0x10_0000;

/** Names must not repeat: the server refuses a second event of the same name, and it would be lost. */
function suffix(now: number, serial: number): string {
  const digits = (serial % serials).toString(16).padStart(5, "0");
  return `${Math.floor(now).toString(16)}${digits}`;
}
