// Events, in both of their groups.
import type { Event } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { coreEvent, eventConversion } from "./convert-event.js";
import { validateAnyEvent, validateEventChange, validateStrictEvent } from "./validate-event.js";

const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const;
const about = (field: string): string[] => parts.map((part) => `${field}.${part}`);

/** The value a selector compares; the object may be of either group. */
function selectable(object: StoredObject, field: string): string {
  const event = coreEvent(object) as unknown as Event;
  const [first, part] = field.split(".");
  switch (first) {
    case "involvedObject":
    case "regarding":
      return event.involvedObject[parts.find((name) => name === part) ?? "name"] ?? "";
    case "source":
      return event.source?.component || (event.reportingComponent ?? "");
    case "reportingComponent":
    case "reportingController":
      return event.reportingComponent ?? "";
    case "type":
      return event.type ?? "";
    default:
      return event.reason ?? "";
  }
}

const asCore = (object: DraftObject | StoredObject): Event => coreEvent(object) as unknown as Event;

/** Field managers of the other group are forgotten: an event is not converted between groups for them. */
const inOwnGroup: BuiltInKind["toVersion"] = (object, apiVersion) =>
  object.apiVersion === apiVersion ? object : undefined;

const coreEvents: BuiltInKind = {
  resource: "events",
  toVersion: inOwnGroup,
  strategy: {
    allowCreateOnUpdate: true,
    // Nothing depends on an event.
    defaultPropagation: "Unsupported",
    selectableFields: [...about("involvedObject"), "reason", "reportingComponent", "source", "type"],
    selectableField: selectable,
    metadata: { validator: "none" },
    validateCreate: (object) => validateAnyEvent(draftAs<Event>(object), "reportingComponent"),
    validateUpdate: (object) => validateAnyEvent(draftAs<Event>(object), "reportingComponent"),
  },
};

const newEvents: BuiltInKind = {
  resource: "events.events.k8s.io",
  storage: "events",
  failuresOf: "",
  conversions: { v1: eventConversion },
  toVersion: inOwnGroup,
  strategy: {
    allowCreateOnUpdate: true,
    // Nothing depends on an event.
    defaultPropagation: "Unsupported",
    selectableFields: [...about("regarding"), "reason", "reportingController", "type"],
    selectableField: selectable,
    validateCreate(object) {
      const event = asCore(object);
      return [...validateAnyEvent(event, "reportingController"), ...validateStrictEvent(event)];
    },
    validateUpdate(object, old) {
      const event = asCore(object);
      return [...validateAnyEvent(event, "reportingController"), ...validateEventChange(event, asCore(old))];
    },
  },
};

export const eventKinds: readonly BuiltInKind[] = [coreEvents, newEvents];
