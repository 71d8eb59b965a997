// One resource as discovery shows it, in its two forms.
import type { ResourceKind, Subresource } from "../registry/resource-kind.js";

const shownVerbs = ({ verbs, shownVerbs: shown }: ResourceKind): readonly string[] => shown ?? verbs;

const names = ({ shortNames, categories }: ResourceKind) => ({
  ...(shortNames.length > 0 ? { shortNames } : {}),
  ...(categories.length > 0 ? { categories } : {}),
});

/** `APIResourceDiscovery`: with its subresources inside. */
export function aggregatedResource(kind: ResourceKind): unknown {
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
    verbs: shownVerbs(kind),
    ...names(kind),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

/** `APIResource`, one for the resource and one for each of its subresources. */
export function legacyResources(kind: ResourceKind, storageVersionHash: string | undefined): unknown[] {
  const namespaced = kind.scope === "Namespaced";
  const main = {
    name: kind.plural,
    singularName: kind.singular,
    namespaced,
    kind: kind.kind,
    verbs: shownVerbs(kind),
    ...names(kind),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
  return [
    main,
    ...[...kind.subresources.values()].map((subresource) => legacySubresource(kind, subresource)),
  ];
}

function legacySubresource(kind: ResourceKind, subresource: Subresource): unknown {
  const { group, version } = subresource.acceptedTypes?.[0] ?? subresource.kind;
  return {
    name: `${kind.plural}/${subresource.name}`,
    singularName: "",
    namespaced: kind.scope === "Namespaced",
    ...(version === "" || group === kind.group ? {} : { group, version }),
    kind: subresource.kind.kind,
    verbs: subresource.verbs,
  };
}
