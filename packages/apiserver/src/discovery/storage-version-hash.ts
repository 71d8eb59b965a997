// The storage version hash, by which clients see that a resource is stored in another version than before.
import { createHash } from "node:crypto";
import type { GroupVersion } from "@kubewright/api";
import type { Registry } from "../registry/registry.js";
import type { ResourceKind } from "../registry/resource-kind.js";

/** Undefined for what is not stored, and for custom resources whose stored version is not served. */
export function storageVersionHash(kind: ResourceKind, registry: Registry): string | undefined {
  const stored = kind.custom ? customVersion(kind) : nativeVersion(kind, registry);
  if (!stored) return undefined;
  const { group, version } = stored;
  const digest = createHash("sha256").update(`${group}/${version}/${kind.kind}`).digest();
  return digest.subarray(0, 8).toString("base64");
}

function customVersion({ group, storageVersion }: ResourceKind) {
  return storageVersion === undefined ? undefined : { group, version: storageVersion };
}

/** Resources that kube-apiserver 1.36 stores in an older version than it serves, so that the server before it can read them. */
const storedBefore: Readonly<Record<string, string>> = {
  "customresourcedefinitions.apiextensions.k8s.io": "v1beta1",
  "mutatingadmissionpolicies.admissionregistration.k8s.io": "v1beta1",
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": "v1beta1",
};

/** Resources that share a table are stored as the one that needs no conversion, the oldest group first. */
function nativeVersion(kind: ResourceKind, registry: Registry): GroupVersion | undefined {
  if (!kind.verbs.includes("list") || kind.observed) return undefined;
  const before = storedBefore[`${kind.plural}.${kind.group}`];
  if (before !== undefined) return { group: kind.group, version: before };
  for (const other of registry.all())
    if (other.storage === kind.storage && other.kind === kind.kind && !other.conversion) return other;
  return kind;
}
