// Unchanged parts: a write shares what it does not change with the stored object, instead of copying, decoding and comparing it again.

import { isObject } from "@kubewright/api";
import type { DraftMeta, DraftObject, StoredObject, Strategy } from "@kubewright/kinds";

/** Parts of the stored object, frozen as they are there. */
export interface UnchangedParts {
  readonly spec?: unknown;
  readonly managedFields?: DraftMeta["managedFields"];
}

/** The parts of a value that are the very ones of the stored object. A spec counts where the endpoint cannot change it. */
export function unchangedIn(value: unknown, live: StoredObject, { resetFields }: Strategy): UnchangedParts {
  if (!isObject(value) || !Object.isFrozen(live)) return {};
  const spec = resetFields?.includes("spec") && value["spec"] === live["spec"] ? live["spec"] : undefined;
  const owners = isObject(value["metadata"]) ? value["metadata"]["managedFields"] : undefined;
  // Nobody changes entries in place, though drafts are typed as if they could.
  const managedFields =
    owners === live.metadata.managedFields ? (owners as DraftMeta["managedFields"]) : undefined;
  return { spec, managedFields };
}

/** The value without those parts. */
export function without(value: unknown, { spec, managedFields }: UnchangedParts): unknown {
  if (!isObject(value) || (spec === undefined && managedFields === undefined)) return value;
  const rest = { ...value };
  if (spec !== undefined) delete rest["spec"];
  if (managedFields !== undefined && isObject(rest["metadata"])) {
    const { managedFields: _owners, ...metadata } = rest["metadata"];
    rest["metadata"] = metadata;
  }
  return rest;
}

/** The draft with those parts, each where it usually stands. */
export function withUnchanged(draft: DraftObject, { spec, managedFields }: UnchangedParts): DraftObject {
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
  if (spec === undefined) return draft;
  const { apiVersion, kind, metadata, spec: _zero, ...rest } = draft;
  return { apiVersion, kind, metadata, spec, ...rest };
}
