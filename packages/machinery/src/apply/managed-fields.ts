// managedFields, decoded into field managers and their field sets. Entries that did not change are written back as they were read.
import { goQuote, isObject, type ManagedFieldsEntry } from "@kubewright/api";
import { compareText } from "../go-format.js";
import type { FieldSet } from "./field-set.js";
import { type FieldsV1, FieldsV1Error, parseFieldsV1, printFieldsV1 } from "./fields-v1.js";
import { canonicalJson, PathElementError } from "./path-element.js";

/** A field manager and its fields, in one API version. */
export interface FieldManager {
  /** The identity: an applier is one manager in all versions, an updater is one per version. */
  readonly id: string;
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** As it was read; absent once anything changed. */
  readonly source?: ManagedFieldsEntry | undefined;
}

/** Field managers by id. */
export type FieldManagers = ReadonlyMap<string, FieldManager>;

/** managedFields that cannot be read. */
export class ManagedFieldsError extends Error {
  override readonly name = "ManagedFieldsError";
}

/** All fields of a manager's entry; its id follows. */
export type NewManager = Omit<FieldManager, "id" | "source">;

/** A manager with its id. */
export function newFieldManager(manager: NewManager): FieldManager {
  return { ...manager, id: managerId(manager), source: undefined };
}

/** The manager with other fields. */
export function withFields(manager: FieldManager, fields: FieldSet): FieldManager {
  return fields === manager.fields ? manager : { ...manager, fields, source: undefined };
}

/** A manager's new entry, written with as much of its last one as still holds. */
export function succeed(last: FieldManager | undefined, next: FieldManager): FieldManager {
  if (!last?.source || last.apiVersion !== next.apiVersion || !last.fields.equals(next.fields)) return next;
  if (last.time === next.time) return last;
  const { time: _time, ...source } = last.source;
  return {
    ...last,
    time: next.time,
    source: next.time === undefined ? source : { ...source, time: next.time },
  };
}

/** The JSON of what makes a manager, as conflicts are sorted by it. */
function managerId({ name, operation, apiVersion, subresource }: Omit<NewManager, "fields">): string {
  const version = operation === "Apply" ? "" : `,"apiVersion":${canonicalJson(apiVersion)}`;
  const through = subresource === "" ? "" : `,"subresource":${canonicalJson(subresource)}`;
  return `{"manager":${canonicalJson(name)},"operation":"${operation}"${version}${through}}`;
}

/**
 * Field managers by the frozen entry they were decoded from: those of stored objects are decoded once. Of the module for the reason that
 * parsed FieldsV1 are. Without the two, a patch of a Pod with two field managers takes a third longer.
 */
const decoded = new WeakMap<object, FieldManager>();

/** Reads managedFields. Throws ManagedFieldsError. */
export function decodeManagedFields(entries: unknown): FieldManagers {
  const managers = new Map<string, FieldManager>();
  if (!Array.isArray(entries)) return managers;
  for (const [index, entry] of entries.entries()) {
    const manager = decoded.get(entry) ?? decodeManager(entry, index);
    managers.set(manager.id, manager);
  }
  return managers;
}

/** The problem of managedFields after admission; undefined when they can be decoded. */
export function managedFieldsProblem(entries: unknown): string | undefined {
  try {
    decodeManagedFields(entries);
    return undefined;
  } catch (error) {
    if (error instanceof ManagedFieldsError) return error.message;
    throw error;
  }
}

function decodeManager(entry: unknown, index: number): FieldManager {
  const source: ManagedFieldsEntry = isObject(entry) ? entry : {};
  const { operation, apiVersion, fieldsType } = source;
  if (operation !== "Apply" && operation !== "Update") {
    throw new ManagedFieldsError("operation must be `Apply` or `Update`");
  }
  if (!apiVersion) throw new ManagedFieldsError("apiVersion must not be empty");
  if (!fieldsType) throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new ManagedFieldsError(
      `invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`,
    );
  }
  const { manager: name = "", subresource = "", time } = source;
  const fields = decodeFields(source.fieldsV1);
  const manager: NewManager = { name, operation, apiVersion, subresource, time: time ?? undefined, fields };
  const read: FieldManager = { ...manager, id: managerId(manager), source };
  if (Object.isFrozen(source) && Object.isFrozen(source.fieldsV1)) decoded.set(source, read);
  return read;
}

function decodeFields(fieldsV1: unknown): FieldSet {
  try {
    return parseFieldsV1(fieldsV1);
  } catch (cause) {
    if (!(cause instanceof FieldsV1Error || cause instanceof PathElementError)) throw cause;
    throw new ManagedFieldsError(`error decoding set: ${cause.message}`, { cause });
  }
}

/** Writes field sets down. */
export type PrintFields = (fields: FieldSet) => FieldsV1;

/**
 * Writes managedFields in the server's order: appliers first, then by time. Gives `previous` back when it says the
 * same; undefined when there are no managers.
 */
export function encodeManagedFields(
  managers: FieldManagers,
  previous: readonly ManagedFieldsEntry[] | undefined,
  print: PrintFields = printFieldsV1,
): readonly ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  const entries = [...managers.values()]
    .sort(compareManagers)
    .map((manager) => manager.source ?? encodeManager(manager, print));
  const same =
    entries.length === previous?.length && entries.every((entry, index) => entry === previous[index]);
  return same ? previous : entries;
}

function encodeManager(manager: FieldManager, print: PrintFields): ManagedFieldsEntry {
  const { name, operation, apiVersion, time, subresource } = manager;
  const entry: { -readonly [Key in keyof ManagedFieldsEntry]: ManagedFieldsEntry[Key] } = {};
  if (name !== "") entry.manager = name;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = print(manager.fields);
  if (subresource !== "") entry.subresource = subresource;
  return entry;
}

function compareManagers(a: FieldManager, b: FieldManager): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** The time of an entry in whole seconds; entries without one come first. */
export function secondsOf({ time }: Pick<FieldManager, "time">): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0;
}
