// The scale subresource of a custom resource, read and written through the JSON paths of its CRD.

import {
  apiVersionOf,
  type CustomResourceDefinition,
  type CustomResourceSubresourceScale,
} from "@kubewright/api";
import { unknownError } from "@kubewright/kinds";

import type { Subresource } from "../registry/resource-kind.js";
import { scaleView, valueAt } from "../registry/scale-view.js";

/** The subresource of a version that declares one. */
export function customScale(
  { spec }: CustomResourceDefinition,
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: CustomResourceSubresourceScale,
  apiVersion: string,
): Subresource {
  const view = scaleView({
    group: spec.group,
    plural: spec.names.plural,
    scope: spec.scope === "Cluster" ? "Cluster" : "Namespaced",
    apiVersion,
    specReplicasPath,
    statusReplicasPath,
    replicasPaths: Object.fromEntries(
      spec.versions.map(({ name, subresources }) => [
        apiVersionOf({ group: spec.group, version: name }),
        subresources?.scale?.specReplicasPath ?? null,
      ]),
    ),
    selectorOf(object) {
      const selector = labelSelectorPath ? valueAt(object, labelSelectorPath) : undefined;
      return typeof selector === "string" ? selector : undefined;
    },
    // The schema of the object validates its replicas.
    validatesItself: true,
  });
  return {
    name: "scale",
    verbs: ["get", "patch", "update"],
    kind: { group: "autoscaling", version: "v1", kind: "Scale" },
    view: { ...view, refuseApply },
  };
}

/** Kubernetes (to 1.36 at least) takes the result of an apply for a custom resource, and finds no such version of it. */
function refuseApply(applied: { readonly metadata?: unknown }): never {
  const { namespace = "", name = "" } = { ...(applied.metadata as { namespace?: string; name?: string }) };
  throw unknownError(
    `failed to convert new object (${namespace}/${name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  );
}
