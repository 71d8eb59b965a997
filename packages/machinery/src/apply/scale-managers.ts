// The `scale` subresource shows one field of its parent, and shows its owners too: their entries are translated to
// the Scale object and back.
import type { ManagedFieldsEntry } from "@kubewright/api";
import { FieldSet } from "./field-set.js";
import { decodeManagers, encodeManagers, type Manager, newManager, withFields } from "./managers.js";
import { type FieldPath, fieldElement } from "./path-element.js";

/** Where `replicas` stands in each API version of the parent: `.spec.replicas`; null where there is no scale. */
export type ReplicasPaths = Readonly<Record<string, string | null>>;

type Entries = readonly ManagedFieldsEntry[] | undefined;

const scaleVersion = "autoscaling/v1";
const replicasOfScale: FieldPath = ["f:spec", "f:replicas"];

/** Undefined for versions that are not known. */
function replicasPath(paths: ReplicasPaths, apiVersion: string): FieldPath | null | undefined {
  if (!Object.hasOwn(paths, apiVersion)) return undefined;
  return paths[apiVersion]?.split(".").filter(Boolean).map(fieldElement) ?? null;
}

/** The managedFields of the Scale object: whoever owns the parent's replicas. */
export function scaleEntries(parent: Entries, paths: ReplicasPaths): Entries {
  const managers = new Map<string, Manager>();
  for (const manager of decodeManagers(parent).values()) {
    const path = replicasPath(paths, manager.apiVersion);
    if (!path || !manager.fields.has(path)) continue;
    const translated = newManager({
      ...manager,
      apiVersion: scaleVersion,
      fields: FieldSet.of(replicasOfScale),
    });
    managers.set(translated.id, translated);
  }
  return encodeManagers(managers, undefined);
}

/** The managedFields of the parent after a write to its Scale object, which left `scale` there. */
export function parentEntries(
  parent: Entries,
  scale: Entries,
  paths: ReplicasPaths,
  apiVersion: string,
): Entries {
  const before = decodeManagers(parent);
  const owners = new Map(decodeManagers(scale));
  const result = new Map<string, Manager>();
  for (const manager of before.values()) {
    const path = replicasPath(paths, manager.apiVersion);
    if (path === undefined) continue;
    const keeps = path === null || !manager.fields.has(path) || owners.delete(manager.id);
    const fields = keeps ? manager.fields : manager.fields.difference(FieldSet.of(path));
    if (!fields.isEmpty) result.set(manager.id, withFields(manager, fields));
  }
  const path = replicasPath(paths, apiVersion);
  for (const owner of owners.values()) {
    if (!path || !owner.fields.has(replicasOfScale)) continue;
    // The server loses the time of those who came through scale.
    const time = before.get(owner.id)?.time;
    result.set(owner.id, { ...owner, apiVersion, fields: FieldSet.of(path), time, source: undefined });
  }
  return encodeManagers(result, parent);
}
