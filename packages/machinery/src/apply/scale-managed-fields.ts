// Managed fields of the `scale` subresource: entries of the parent that manage its replicas are translated to the Scale object and back.
import type { ManagedFieldsEntry } from "@kubewright/api";
import { FieldSet } from "./field-set.js";
import {
  decodeManagedFields,
  encodeManagedFields,
  type FieldManager,
  newFieldManager,
  withFields,
} from "./managed-fields.js";
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

/** The managedFields of the Scale object: the managers of the parent's replicas. */
export function scaleEntries(parent: Entries, paths: ReplicasPaths): Entries {
  const managers = new Map<string, FieldManager>();
  for (const manager of decodeManagedFields(parent).values()) {
    const path = replicasPath(paths, manager.apiVersion);
    if (!path || !manager.fields.has(path)) continue;
    const translated = newFieldManager({
      ...manager,
      apiVersion: scaleVersion,
      fields: FieldSet.of(replicasOfScale),
    });
    managers.set(translated.id, translated);
  }
  return encodeManagedFields(managers, undefined);
}

/** The managedFields of the parent after a write to its Scale object, which left `scale` there. */
export function parentEntries(
  parent: Entries,
  scale: Entries,
  paths: ReplicasPaths,
  apiVersion: string,
): Entries {
  const before = decodeManagedFields(parent);
  const managers = new Map(decodeManagedFields(scale));
  const result = new Map<string, FieldManager>();
  for (const manager of before.values()) {
    const path = replicasPath(paths, manager.apiVersion);
    if (path === undefined) continue;
    const keeps = path === null || !manager.fields.has(path) || managers.delete(manager.id);
    const fields = keeps ? manager.fields : manager.fields.difference(FieldSet.of(path));
    if (!fields.isEmpty) result.set(manager.id, withFields(manager, fields));
  }
  const path = replicasPath(paths, apiVersion);
  for (const manager of managers.values()) {
    if (!path || !manager.fields.has(replicasOfScale)) continue;
    // kube-apiserver loses the time of managers that wrote through scale.
    const time = before.get(manager.id)?.time;
    result.set(manager.id, { ...manager, apiVersion, fields: FieldSet.of(path), time, source: undefined });
  }
  return encodeManagedFields(result, parent);
}
