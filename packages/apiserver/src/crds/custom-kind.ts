// One CustomResourceDefinition as resources the request path can serve: one for each served version.
import type { CustomResourceDefinition, CustomResourceDefinitionVersion, StructFacts } from "@kubewright/api";
import { factsFromSchema } from "@kubewright/api/facts";
import type { ResourceKind, Subresource } from "../registry/resource-kind.js";
import { statusStrategy, withStatus } from "../registry/status-strategy.js";
import type { Strategy } from "../registry/strategy.js";

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

export function customKinds(definition: CustomResourceDefinition): ResourceKind[] {
  return definition.spec.versions
    .filter((version) => version.served)
    .map((version) => customKind(definition, version));
}

function customKind(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): ResourceKind {
  const { group, names, scope } = definition.spec;
  const gvk = { group, version: version.name, kind: names.kind };
  const hasStatus = version.subresources?.status !== undefined;
  const own: Strategy = { hasGeneration: true };
  const strategy = hasStatus ? withStatus(own) : own;
  const subresources = new Map<string, Subresource>();
  if (hasStatus) {
    subresources.set("status", {
      name: "status",
      verbs: ["get", "patch", "update"],
      kind: gvk,
      strategy: statusStrategy(strategy),
    });
  }
  return {
    ...gvk,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    custom: true,
    storage: `${group}/${names.plural}`,
    facts: factsFromSchema(version.schema?.openAPIV3Schema ?? { type: "object" }) as StructFacts,
    target: { gvk, custom: true, fit: () => ({ unknownFields: [] }) },
    strategy,
    subresources,
    columns: version.additionalPrinterColumns ?? [],
  };
}
