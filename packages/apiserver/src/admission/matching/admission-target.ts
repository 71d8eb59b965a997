// The resource and kind of a request, as rules of webhooks and policies match them.
import type { GroupVersionKind, GroupVersionResource } from "@kubewright/api";
import type { AdmissionRequest } from "../../registry/admission-control.js";
import type { ResourceKind } from "../../registry/resource-kind.js";

/** A resource of one version, and the kind of the objects that are sent to it. */
export interface AdmissionTarget {
  readonly resource: GroupVersionResource;
  /** Empty for the resource itself. */
  readonly subresource: string;
  readonly kind: GroupVersionKind;
  /** The resource as it is served. */
  readonly served: ResourceKind;
}

/** The target a request names. */
export const targetOf = ({ kind, subresource }: AdmissionRequest): AdmissionTarget =>
  targetIn(kind, subresource);

/** A resource as a target. */
export function targetIn(served: ResourceKind, subresource: string | undefined): AdmissionTarget {
  const { group, version, plural } = served;
  return {
    resource: { group, version, resource: plural },
    subresource: subresource ?? "",
    kind: kindOf(served, subresource),
    served,
  };
}

function kindOf(served: ResourceKind, subresource: string | undefined): GroupVersionKind {
  const own = subresource === undefined ? undefined : served.subresources.get(subresource)?.kind;
  const { group, version, kind } = served;
  if (!own || (own.group === "" && own.version === "")) return { group, version, kind: own?.kind ?? kind };
  return { group: own.group, version: own.version, kind: own.kind };
}

/** The same resource in other versions and groups, whose objects are the same ones. */
export function equivalentTargets({ kind, subresource, context }: AdmissionRequest): AdmissionTarget[] {
  const targets: AdmissionTarget[] = [];
  for (const served of context.services.registry.all()) {
    if (served === kind || served.storage !== kind.storage || served.storage === "") continue;
    if (subresource !== undefined && !served.subresources.has(subresource)) continue;
    targets.push(targetIn(served, subresource));
  }
  return targets;
}

export const isNamespaceKind = ({ group, plural }: ResourceKind): boolean =>
  group === "" && plural === "namespaces";

/** The namespace a request is in; a namespace is in itself. Empty for everything else that is in none. */
export const namespaceOf = ({ kind, namespace, name }: AdmissionRequest): string =>
  isNamespaceKind(kind) ? name : (namespace ?? "");
