// The `scale` subresource: one number of an object in a shape that is the same for every kind, so that autoscalers need
// to know none of them. Built-in kinds and custom ones share it; only where the numbers stand differs.

import {
  cloneJson,
  type Draft,
  fieldError,
  type ManagedFieldsEntry,
  type Scale,
  type ScaleStatus,
} from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import {
  badRequest,
  conflict,
  type DraftObject,
  internalError,
  invalid,
  type StoredObject,
} from "@kubewright/kinds";
import { builtInDecoder, parentEntries, type ReplicasPaths, scaleEntries } from "@kubewright/machinery";

import type { ResourceKind, View } from "./resource-kind.js";

const scaleGvk = { group: "autoscaling", version: "v1", kind: "Scale" };

/** Where a kind keeps what its scale shows. */
export interface ScaleSource {
  /** The resource scaled, as failures name it. */
  readonly group: string;
  readonly plural: string;
  /** Version of the objects: `apps/v1`. */
  readonly apiVersion: string;
  readonly scope: ResourceKind["scope"];
  /** `.spec.replicas`, in simple dotted form. */
  readonly specReplicasPath: string;
  /** The replicas path in every served version, for the managers of the field. */
  readonly replicasPaths?: ReplicasPaths | undefined;
  /** `.status.replicas`. */
  readonly statusReplicasPath: string;
  /** The label selector of the pods, in the form of a query; absent when there is none. */
  selectorOf(object: StoredObject): string | undefined;
  /** The object's own rules see to the number; those of Scale are not checked. */
  readonly validatesItself?: boolean | undefined;
}

/** The scale of a kind. */
export function scaleView(source: ScaleSource): View {
  const paths = source.replicasPaths ?? { [source.apiVersion]: source.specReplicasPath };
  return {
    kind: scaleKind(source.scope),
    toView: (object, purpose) => scaleOf(object, source, paths, purpose),
    fromView: (view, object) => scaled(object, view as unknown as Draft<Scale>, source, paths),
  };
}

/** Scale as a kind of its own: it is decoded and patched like one, but never stored. */
function scaleKind(scope: ResourceKind["scope"]): ResourceKind {
  const typeInfo = kindTypeInfo(scaleGvk);
  if (!typeInfo) throw new Error("no typeInfo about autoscaling/v1 Scale");
  return {
    ...scaleGvk,
    plural: "scales",
    singular: "scale",
    listKind: "ScaleList",
    scope,
    shortNames: [],
    categories: [],
    verbs: [],
    custom: false,
    storage: "",
    typeInfo,
    decoder: builtInDecoder(scaleGvk),
    strategy: {},
    subresources: new Map(),
  };
}

/** Stands for a number that is not there: the least that fits, which no one scales to. */
const noReplicas = -(2 ** 31);

function scaleOf(
  object: StoredObject,
  source: ScaleSource,
  paths: ReplicasPaths,
  purpose: "read" | "write",
): StoredObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const known = numberAt(object, source.specReplicasPath);
  if (known === undefined && purpose === "read")
    throw internalError(`the spec replicas field "${source.specReplicasPath}" does not exist`);
  const replicas = known ?? noReplicas;
  // Reads of a scale show no managed fields.
  const managedFields = purpose === "write" ? scaleEntries(object.metadata.managedFields, paths) : undefined;
  const selector = source.selectorOf(object);
  const status: ScaleStatus = {
    replicas: numberAt(object, source.statusReplicasPath) ?? 0,
    ...(selector ? { selector } : {}),
  };
  return {
    kind: scaleGvk.kind,
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
      ...(managedFields ? { managedFields } : {}),
    },
    spec: replicas === 0 ? {} : { replicas },
    status,
  };
}

function scaled(
  object: StoredObject,
  scale: Draft<Scale>,
  source: ScaleSource,
  paths: ReplicasPaths,
): DraftObject {
  const { name } = object.metadata;
  const replicas = scale.spec?.replicas ?? 0;
  if (replicas === noReplicas)
    throw badRequest(`the spec replicas field "${source.specReplicasPath}" cannot be empty`);
  if (replicas < 0 && !source.validatesItself) {
    const error = fieldError.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
    throw invalid(scaleGvk, name, [error]);
  }
  const uid = scale.metadata?.uid;
  if (uid && uid !== object.metadata.uid) {
    const subject = { group: source.group, resource: `${source.plural}/scale`, name };
    const text = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`;
    throw conflict(subject, text);
  }
  // Entries of managedFields are shared: nobody changes them in place.
  const { managedFields: before, ...metadata } = object.metadata;
  const next = cloneJson({ ...object, metadata }) as DraftObject;
  setNumberAt(next, source.specReplicasPath, replicas);
  // Without a version from the client, it is a change of whatever is there.
  if (scale.metadata?.resourceVersion) next.metadata.resourceVersion = scale.metadata.resourceVersion;
  const entries = scale.metadata?.managedFields as readonly ManagedFieldsEntry[] | undefined;
  const managedFields = parentEntries(before, entries, paths, source.apiVersion);
  if (managedFields) next.metadata.managedFields = managedFields as DraftObject["metadata"]["managedFields"];
  return next;
}

const keysOf = (path: string): string[] => path.split(".").filter((key) => key !== "");

/** The value at a dotted path. */
export function valueAt(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const key of keysOf(path)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function numberAt(object: unknown, path: string): number | undefined {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : undefined;
}

function setNumberAt(object: Record<string, unknown>, path: string, value: number): void {
  const keys = keysOf(path);
  const last = keys.pop();
  let holder = object;
  for (const key of keys) {
    const inner = Object.hasOwn(holder, key) ? holder[key] : undefined;
    if (typeof inner === "object" && inner !== null) holder = inner as Record<string, unknown>;
    else {
      const made: Record<string, unknown> = {};
      holder[key] = made;
      holder = made;
    }
  }
  if (last !== undefined) holder[last] = value;
}
