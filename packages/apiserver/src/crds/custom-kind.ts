// One CustomResourceDefinition as resources the request path can serve: one for each served version.
import {
  apiVersionOf,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  type StructFacts,
} from "@kubewright/api";
import { factsFromSchema } from "@kubewright/api/facts";
import { createResourceSchema } from "@kubewright/schema";
import type { ResourceKind, Subresource } from "../registry/resource-kind.js";
import { customStatusStrategy, customStrategy } from "./custom-strategy.js";
import { customTarget } from "./custom-target.js";
import { customScale, withScaleRules } from "./scale-rules.js";

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
  const openApi = version.schema?.openAPIV3Schema ?? { type: "object" };
  const schema = createResourceSchema(openApi);
  const hasStatus = version.subresources?.status !== undefined;
  const scale = version.subresources?.scale;
  const place = {
    group,
    plural: names.plural,
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
  } as const;
  const subresources = new Map<string, Subresource>();
  if (hasStatus) {
    const own = customStatusStrategy(schema);
    const strategy = scale ? withScaleRules(own, scale, true) : own;
    subresources.set("status", { name: "status", verbs: ["get", "patch", "update"], kind: gvk, strategy });
  }
  if (scale) subresources.set("scale", customScale(scale, { ...place, apiVersion: apiVersionOf(gvk) }));
  const strategy = customStrategy(schema, hasStatus);
  return {
    ...gvk,
    ...place,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    custom: true,
    storage: `${group}/${names.plural}`,
    facts: factsFromSchema(openApi) as StructFacts,
    target: customTarget(gvk, schema),
    strategy: scale ? withScaleRules(strategy, scale) : strategy,
    subresources,
    openApi,
    columns: version.additionalPrinterColumns ?? [],
  };
}
