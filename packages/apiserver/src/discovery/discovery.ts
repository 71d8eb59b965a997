// What the server has, as clients ask for it: aggregated (one document) and legacy (one per group version).
import { apiVersionOf } from "@kubewright/api";
import type { Registry } from "../registry/registry.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { compareVersions } from "./version-order.js";

/** Kinds by group, and by version in order of preference. */
function grouped(registry: Registry): Map<string, Map<string, ResourceKind[]>> {
  const groups = new Map<string, Map<string, ResourceKind[]>>();
  for (const kind of registry.all()) {
    const versions = groups.get(kind.group) ?? new Map<string, ResourceKind[]>();
    groups.set(kind.group, versions.set(kind.version, [...(versions.get(kind.version) ?? []), kind]));
  }
  for (const [group, versions] of groups) {
    groups.set(group, new Map([...versions].sort(([left], [right]) => compareVersions(left, right))));
  }
  return groups;
}

/** `APIGroupDiscoveryList`: the core group, or all the others. */
export function aggregatedDiscovery(registry: Registry, core: boolean, version: string): unknown {
  const items = [...grouped(registry)]
    .filter(([group]) => (group === "") === core)
    .map(([group, versions]) => ({
      metadata: group === "" ? {} : { name: group },
      versions: [...versions].map(([name, kinds]) => ({
        version: name,
        resources: kinds.map(aggregatedResource),
        freshness: "Current",
      })),
    }));
  return { kind: "APIGroupDiscoveryList", apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
}

function aggregatedResource(kind: ResourceKind): unknown {
  const subresources = [...kind.subresources.values()].map((subresource) => ({
    subresource: subresource.name,
    responseKind: subresource.kind,
    verbs: subresource.verbs,
    ...(subresource.acceptedTypes ? { acceptedTypes: subresource.acceptedTypes } : {}),
  }));
  const { group, version } = kind.custom ? kind : { group: "", version: "" };
  return {
    resource: kind.plural,
    responseKind: { group, version, kind: kind.kind },
    scope: kind.scope,
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

/** `/api` */
export function coreVersions(serverAddress: string): unknown {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** `/apis` */
export function groupList(registry: Registry): unknown {
  const groups = [...grouped(registry)]
    .filter(([group]) => group !== "")
    .map(([group, versions]) => apiGroup(group, versions));
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

/** `/apis/GROUP` */
export function groupDocument(registry: Registry, group: string): unknown {
  const versions = grouped(registry).get(group);
  if (!versions || group === "") return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...apiGroup(group, versions) };
}

function apiGroup(group: string, versions: ReadonlyMap<string, unknown>) {
  const entries = [...versions.keys()].map((version) => ({
    groupVersion: apiVersionOf({ group, version }),
    version,
  }));
  return { name: group, versions: entries, preferredVersion: entries[0] };
}

/** `/api/v1`, `/apis/GROUP/VERSION` */
export function resourceList(registry: Registry, group: string, version: string): unknown {
  const kinds = grouped(registry).get(group)?.get(version);
  if (!kinds) return undefined;
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: apiVersionOf({ group, version }),
    resources: kinds.flatMap(legacyResources),
  };
}

function legacyResources(kind: ResourceKind): unknown[] {
  const namespaced = kind.scope === "Namespaced";
  const main = {
    name: kind.plural,
    singularName: kind.singular,
    namespaced,
    kind: kind.kind,
    verbs: kind.verbs,
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(kind.verbs.includes("list") ? { storageVersionHash: storageVersionHash(kind) } : {}),
  };
  const subresources = [...kind.subresources.values()].map((subresource) => {
    const { group, version } = subresource.acceptedTypes?.[0] ?? subresource.kind;
    return {
      name: `${kind.plural}/${subresource.name}`,
      singularName: "",
      namespaced,
      ...(version === "" || group === kind.group ? {} : { group, version }),
      kind: subresource.kind.kind,
      verbs: subresource.verbs,
    };
  });
  return [main, ...subresources];
}

/** Clients only compare it. */
function storageVersionHash(kind: ResourceKind): string {
  return Buffer.from(`${kind.group}/${kind.version}/${kind.kind}`)
    .toString("base64")
    .slice(0, 11)
    .concat("=");
}
