// Events are stored as those of the core group; events.k8s.io shows the same objects with other names for some fields.

import { cloneJson } from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import { type MutableObject, normalizeBuiltIn } from "@kubewright/machinery";
import type { BuiltInConversion } from "../built-in-kind.js";
import type { DraftObject, StoredObject } from "../objects.js";

/** In the core group, and in events.k8s.io. */
const renamed = [
  ["count", "deprecatedCount"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["involvedObject", "regarding"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
] as const;

const toNew = new Map<string, string>(renamed);
const toCore = new Map<string, string>(renamed.map(([core, modern]) => [modern, core]));

/** The event in the words of the core group. */
export const coreEvent = (object: DraftObject | StoredObject): MutableObject =>
  rename(object, "v1", "", toCore);

const newEvent = (object: StoredObject): MutableObject =>
  rename(object, "events.k8s.io/v1", "events.k8s.io", toNew);

function rename(
  object: DraftObject | StoredObject,
  apiVersion: string,
  group: string,
  names: ReadonlyMap<string, string>,
): MutableObject {
  const entries = Object.entries(cloneJson(object)).map(([name, value]) => [names.get(name) ?? name, value]);
  const event: MutableObject = { ...Object.fromEntries(entries), apiVersion };
  const typeInfo = kindTypeInfo({ group, version: "v1", kind: "Event" });
  if (typeInfo) normalizeBuiltIn(event, typeInfo);
  return event;
}

export const eventConversion: BuiltInConversion = {
  fromStorage: (objects) => objects.map((object) => newEvent(object) as unknown as StoredObject),
  toStorage: (object) => coreEvent(object) as unknown as DraftObject,
};
