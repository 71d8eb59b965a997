// Built-in resources: the discovery facts say what exists, a kind's own file says what is special about it.
import type { GroupVersionKind, StructFacts } from "@kubewright/api";
import { type DiscoveryResource, discoveryGroups, kindFacts } from "@kubewright/api/facts";
import { type MutableObject, nativeTarget, normalizeNative } from "../codec/index.js";
import type { ResourceKind, Subresource } from "./resource-kind.js";
import { statusStrategy, withStatus } from "./status-strategy.js";
import type { Strategy } from "./strategy.js";

/** What is particular about one built-in resource. */
export interface NativeKind {
  /** The plural, with the group: `deployments.apps`, `pods`. */
  readonly resource: string;
  readonly strategy?: Strategy | undefined;
  /** Whether those who create it may report its status right away. */
  readonly keepsStatusOnCreate?: boolean | undefined;
  /** What everyone who uses the resource is warned of. */
  readonly deprecation?: string | undefined;
  /** The group failures name, where it is another than its own. */
  readonly failuresOf?: string | undefined;
  /** Versions that can still be read, but are served no longer. */
  readonly formerVersions?: readonly string[] | undefined;
  /** Rules for `/status`. */
  readonly status?: Partial<Strategy> | undefined;
  /** Subresources with a behaviour of their own. */
  readonly subresources?:
    | Readonly<Record<string, Pick<Subresource, "handle" | "respond" | "strategy" | "view">>>
    | undefined;
  readonly review?: ResourceKind["review"];
  readonly observed?: ResourceKind["observed"];
  /** The version kept in the store, where several are served. */
  readonly conversions?: Readonly<Record<string, NonNullable<ResourceKind["conversion"]>>> | undefined;
  /** The table it shares with another resource (`events` of two groups). */
  readonly storage?: string | undefined;
}

/** Every built-in resource, with the special ones made special. */
export function nativeKinds(special: readonly NativeKind[]): ResourceKind[] {
  const byResource = new Map(special.map((kind) => [kind.resource, kind]));
  const kinds: ResourceKind[] = [];
  for (const group of discoveryGroups()) {
    for (const { version, resources } of group.versions) {
      for (const resource of resources) {
        const name = group.metadata.name ?? "";
        const id = name === "" ? resource.resource : `${resource.resource}.${name}`;
        const gvk = { group: name, version, kind: resource.responseKind.kind };
        kinds.push(nativeKind(gvk, resource, byResource.get(id)));
      }
    }
  }
  return kinds;
}

function nativeKind(
  gvk: GroupVersionKind,
  resource: DiscoveryResource,
  special: NativeKind | undefined,
): ResourceKind {
  // A server has more kinds than most programs use: what is known of one is read when it is used.
  const facts = lazily(() => factsOf(gvk));
  const target = lazily(() => nativeTarget(gvk, isKnown(gvk, special?.formerVersions ?? [])));
  const newStatus = lazily(() => emptyStatus(facts()));
  const own = special?.strategy ?? {};
  const hasStatus = resource.subresources?.some(({ subresource }) => subresource === "status");
  const strategy = hasStatus ? withStatus(own, () => newStatus()?.(), special?.keepsStatusOnCreate) : own;
  return {
    ...gvk,
    plural: resource.resource,
    singular: resource.singularResource,
    listKind: `${gvk.kind}List`,
    scope: resource.scope,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs,
    custom: false,
    storage: special?.storage ?? (gvk.group === "" ? resource.resource : `${gvk.group}/${resource.resource}`),
    get facts() {
      return facts();
    },
    get target() {
      return target();
    },
    strategy,
    subresources: subresourcesOf(resource, strategy, special),
    ...(special?.deprecation ? { enter: warnOf(special.deprecation) } : {}),
    ...(special?.failuresOf === undefined ? {} : { failuresOf: special.failuresOf }),
    ...(special?.observed ? { observed: special.observed } : {}),
    ...(special?.review ? { review: special.review } : {}),
    ...(special?.conversions?.[gvk.version] ? { conversion: special.conversions[gvk.version] } : {}),
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function factsOf(gvk: GroupVersionKind): StructFacts {
  const facts = kindFacts(gvk);
  if (!facts) throw new Error(`no facts about ${gvk.group}/${gvk.version} ${gvk.kind}`);
  return facts;
}

const warnOf =
  (text: string): NonNullable<ResourceKind["enter"]> =>
  ({ warnings }) => {
    warnings.push(text);
  };

function isKnown({ group, kind }: GroupVersionKind, formerVersions: readonly string[]) {
  return (other: GroupVersionKind): boolean =>
    kindFacts(other) !== undefined ||
    (other.group === group && other.kind === kind && formerVersions.includes(other.version));
}

/** The status of an object nobody has reported on yet, as Go prints it: with its zero values, where it is printed at all. */
function emptyStatus(facts: StructFacts): (() => MutableObject) | undefined {
  const status = facts.fields.get("status");
  if (status?.presence !== "value" || status.type.kind !== "struct") return undefined;
  const { type } = status;
  return () => {
    const zero: MutableObject = {};
    normalizeNative(zero, type);
    return zero;
  };
}

function subresourcesOf(
  resource: DiscoveryResource,
  strategy: Strategy,
  special: NativeKind | undefined,
): ReadonlyMap<string, Subresource> {
  const subresources = (resource.subresources ?? []).map((found): Subresource => {
    const { subresource: name, verbs, responseKind: kind, acceptedTypes } = found;
    const status = name === "status" ? { strategy: statusStrategy(strategy, special?.status) } : {};
    return {
      name,
      verbs,
      kind,
      ...(acceptedTypes ? { acceptedTypes } : {}),
      ...status,
      ...special?.subresources?.[name],
    };
  });
  return new Map(subresources.map((subresource) => [subresource.name, subresource]));
}
