// One version of a CustomResourceDefinition as a resource the request path can serve.
import { apiVersionOf, type CustomResourceDefinition } from "@kubewright/api";
import type { Conversion, ResourceKind, Subresource } from "../registry/resource-kind.js";
import { customDecoder } from "./custom-decoder.js";
import { customRequestRules } from "./custom-request-rules.js";
import { customScale } from "./custom-scale.js";
import { customStatusStrategy, customStrategy } from "./custom-strategy.js";
import { customTable } from "./tables.js";
import type { VersionSchema } from "./version-schema.js";

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const lastVerbs = ["delete", "deletecollection", "get", "list", "watch"];

export interface CustomKindOptions {
  readonly conversion: Conversion;
  readonly onNoLongerServed: NonNullable<ResourceKind["onNoLongerServed"]>;
  /** The CRD is being deleted. */
  readonly isTerminating: boolean;
}

export function customKind(
  crd: CustomResourceDefinition,
  versionSchema: VersionSchema,
  { conversion, onNoLongerServed, isTerminating }: CustomKindOptions,
): ResourceKind {
  const { group, scope } = crd.spec;
  const names = crd.status?.acceptedNames ?? crd.spec.names;
  const { version } = versionSchema;
  const gvk = { group, version: version.name, kind: names.kind };
  const storageVersion = crd.spec.versions.find(({ storage, served }) => storage && served)?.name;
  return {
    ...gvk,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    ...(isTerminating ? { shownVerbs: lastVerbs } : {}),
    custom: true,
    storage: customTable(group, names.plural),
    storageVersion,
    get typeInfo() {
      return versionSchema.typeInfo;
    },
    decoder: customDecoder(gvk, versionSchema),
    strategy: customStrategy(versionSchema, gvk, { plural: names.plural, isTerminating }),
    subresources: subresourcesOf(crd, versionSchema, gvk),
    get openApi() {
      return versionSchema.openApi;
    },
    get columns() {
      return versionSchema.columns;
    },
    conversion,
    onNoLongerServed,
    preflight: customRequestRules(crd, version),
  };
}

function subresourcesOf(
  crd: CustomResourceDefinition,
  versionSchema: VersionSchema,
  gvk: { readonly group: string; readonly version: string; readonly kind: string },
): ReadonlyMap<string, Subresource> {
  const { status, scale } = versionSchema.version.subresources ?? {};
  const subresources = new Map<string, Subresource>();
  const shared = { verbs: ["get", "patch", "update"] };
  if (status) {
    const strategy = customStatusStrategy(versionSchema);
    subresources.set("status", { ...shared, name: "status", kind: gvk, strategy });
  }
  if (scale) subresources.set("scale", customScale(crd, scale, apiVersionOf(gvk)));
  return subresources;
}
