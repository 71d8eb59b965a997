// The custom kinds of a manager, whose CRDs have to be installed before it can work.
import type { CustomResourceDefinition } from "@kubewright/api";
import type { AnyResource } from "../controller/kinds.js";
import type { ManagerDefinition } from "./define-manager.js";

/** A kind with a CRD, made with `defineResource`. */
export type CustomKind = AnyResource & { crd(): CustomResourceDefinition };

/**
 * The custom kinds a manager is for or lists in `resources`, and those of the same groups that it owns, watches or uses besides. Kinds of
 * other groups are other people's, even where their definition is available.
 */
export function customKindsOf({
  controllers,
  resources = [],
}: Pick<ManagerDefinition, "controllers" | "resources">): readonly CustomKind[] {
  const groups = new Set(
    [...controllers.map(({ resource }) => resource), ...resources].map(({ group }) => group),
  );
  const kinds = new Map<string, CustomKind>();
  const reached = controllers.flatMap(({ resource, owns, watches, uses }) => [
    resource,
    ...[...owns, ...watches, ...uses].map((entry) => entry.resource),
  ]);
  const declared = [...reached, ...resources];
  for (const resource of declared)
    if (groups.has(resource.group) && isDefinition(resource))
      kinds.set(`${resource.plural}.${resource.group}`, resource);
  return [...kinds.values()];
}

function isDefinition(resource: AnyResource): resource is CustomKind {
  return "crd" in resource && typeof resource.crd === "function";
}
