// Changes and objects as lines of JSON.

import { stringifyJson } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

import type { StorageRow } from "../memory-storage.js";
import type { Change } from "../storage.js";

/** A change as it is read back. */
export interface LogRecord {
  readonly revision: number;
  readonly resource: string;
  readonly key: string;
  /** Absent for a deletion. */
  readonly object: StoredObject | undefined;
}

export function changeLine(resource: string, { type, revision, key, object }: Change): string {
  const place = `[${revision},${stringifyJson(resource)},${stringifyJson(key)}`;
  return type === "delete" ? `${place}]\n` : `${place},${stringifyJson(object)}]\n`;
}

/** Undefined for what is no change. */
export function recordOf(value: unknown): LogRecord | undefined {
  if (!Array.isArray(value) || value.length < 3 || value.length > 4) return undefined;
  const [revision, resource, key, object]: readonly unknown[] = value;
  if (typeof revision !== "number" || !Number.isSafeInteger(revision)) return undefined;
  if (typeof resource !== "string" || typeof key !== "string") return undefined;
  if (value.length === 3) return { revision, resource, key, object: undefined };
  return isStored(object) ? { revision, resource, key, object } : undefined;
}

export const rowLine = ({ resource, key, object }: StorageRow): string =>
  `${stringifyJson([resource, key, object])}\n`;

/** Undefined for what is no object in its place. */
export function rowOf(value: unknown): StorageRow | undefined {
  if (!Array.isArray(value) || value.length !== 3) return undefined;
  const [resource, key, object]: readonly unknown[] = value;
  if (typeof resource !== "string" || typeof key !== "string" || !isStored(object)) return undefined;
  return { resource, key, object };
}

/** The last line of a snapshot. */
export interface SnapshotEnd {
  readonly revision: number;
  readonly objects: number;
}

export const endLine = ({ revision, objects }: SnapshotEnd): string =>
  `${stringifyJson({ revision, objects })}\n`;

/** Undefined for what is no end of a snapshot. */
export function endOf(value: unknown): SnapshotEnd | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { revision, objects } = value as Partial<Record<string, unknown>>;
  if (typeof revision !== "number" || !Number.isSafeInteger(revision)) return undefined;
  return typeof objects === "number" ? { revision, objects } : undefined;
}

function isStored(value: unknown): value is StoredObject {
  if (typeof value !== "object" || value === null) return false;
  const { apiVersion, kind, metadata } = value as Partial<Record<string, unknown>>;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return false;
  if (typeof metadata !== "object" || metadata === null) return false;
  const { uid, resourceVersion } = metadata as Partial<Record<string, unknown>>;
  return typeof uid === "string" && typeof resourceVersion === "string";
}
