// Built-in resources: discovery says which exist, the file of a kind has its rules.

import { apiVersionOf, type GroupVersionKind, parseApiVersion, type StructInfo } from "@kubewright/api";
import { type DiscoveryResource, discoveryGroups, kindTypeInfo } from "@kubewright/api/type-info";
import { type BuiltInKind, type Strategy, statusStrategy, withStatus } from "@kubewright/kinds";
import { builtInDecoder, type MutableObject, normalizeBuiltIn } from "@kubewright/machinery";

import type { ResourceKind, Subresource, View } from "./resource-kind.js";
import { type ScaleSource, scaleView } from "./scale-view.js";
import { isUnservedKind } from "./unserved-kinds.js";

/** Requests to a built-in resource that are answered by code of their own. */
export interface ResourceBehaviour {
  /** The plural, with the group: `tokenreviews.authentication.k8s.io`, `pods`. */
  readonly resource: string;
  readonly subresources?: Readonly<Record<string, Pick<Subresource, "handle" | "respond">>> | undefined;
  readonly review?: ResourceKind["review"];
  readonly observed?: ResourceKind["observed"];
}

/** Every built-in resource, with the rules of its kind and its behaviour where it has any. */
export function builtInResources(
  kinds: readonly BuiltInKind[],
  behaviours: readonly ResourceBehaviour[],
): ResourceKind[] {
  const rulesOf = byResource(kinds);
  const behaviourOf = byResource(behaviours);
  return discoveryGroups().flatMap(({ metadata, versions }) => {
    const group = metadata.name ?? "";
    return versions.flatMap(({ version, resources }) =>
      resources.map((resource) => {
        const id = group === "" ? resource.resource : `${resource.resource}.${group}`;
        const gvk = { group, version, kind: resource.responseKind.kind };
        return builtInResource(gvk, resource, rulesOf.get(id), behaviourOf.get(id));
      }),
    );
  });
}

const byResource = <T extends { readonly resource: string }>(all: readonly T[]): ReadonlyMap<string, T> =>
  new Map(all.map((each) => [each.resource, each]));

function builtInResource(
  gvk: GroupVersionKind,
  resource: DiscoveryResource,
  rules: BuiltInKind | undefined,
  behaviour: ResourceBehaviour | undefined,
): ResourceKind {
  // A server has more kinds than most programs use: what is known of one is read when it is used.
  const typeInfo = lazily(() => typeInfoOf(gvk));
  const decoder = lazily(() => builtInDecoder(gvk, isKnown(gvk, rules?.formerVersions ?? [])));
  const newStatus = lazily(() => emptyStatus(typeInfo()));
  const own = rules?.strategy ?? {};
  const hasStatus = resource.subresources?.some(({ subresource }) => subresource === "status");
  const strategy = hasStatus ? withStatus(own, () => newStatus()?.(), rules?.keepsStatusOnCreate) : own;
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
    storage: rules?.storage ?? (gvk.group === "" ? resource.resource : `${gvk.group}/${resource.resource}`),
    get typeInfo() {
      return typeInfo();
    },
    get decoder() {
      return decoder();
    },
    strategy,
    subresources: subresourcesOf(gvk, resource, strategy, rules, behaviour),
    ...(rules?.deprecation ? { preflight: warnOf(rules.deprecation) } : {}),
    ...(rules?.failuresOf === undefined ? {} : { failuresOf: rules.failuresOf }),
    ...(behaviour?.observed ? { observed: behaviour.observed } : {}),
    ...(behaviour?.review ? { review: behaviour.review } : {}),
    ...(rules?.toVersion ? { toVersion: versionsOf(gvk, rules.toVersion) } : {}),
    ...(rules?.conversions?.[gvk.version] ? { conversion: rules.conversions[gvk.version] } : {}),
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function typeInfoOf(gvk: GroupVersionKind): StructInfo {
  const typeInfo = kindTypeInfo(gvk);
  if (!typeInfo) throw new Error(`no typeInfo about ${gvk.group}/${gvk.version} ${gvk.kind}`);
  return typeInfo;
}

function versionsOf(
  { kind }: GroupVersionKind,
  toVersion: NonNullable<BuiltInKind["toVersion"]>,
): NonNullable<ResourceKind["toVersion"]> {
  return (object, apiVersion) => {
    const groupVersion = parseApiVersion(apiVersion);
    const typeInfo = groupVersion && kindTypeInfo({ ...groupVersion, kind });
    const converted = typeInfo && toVersion(object as never, apiVersion);
    return converted && { object: converted as never, typeInfo };
  };
}

const warnOf =
  (text: string): NonNullable<ResourceKind["preflight"]> =>
  ({ warnings }) => {
    warnings.push(text);
  };

function isKnown({ group, kind }: GroupVersionKind, formerVersions: readonly string[]) {
  return (other: GroupVersionKind): boolean =>
    kindTypeInfo(other) !== undefined ||
    isUnservedKind(other) ||
    (other.group === group && other.kind === kind && formerVersions.includes(other.version));
}

/** The status of an object nobody has reported on yet, as Go prints it: with its zero values, where it is printed at all. */
function emptyStatus(typeInfo: StructInfo): (() => MutableObject) | undefined {
  const status = typeInfo.fields.get("status");
  if (status?.presence !== "value" || status.type.kind !== "struct") return undefined;
  const { type } = status;
  return () => {
    const zero: MutableObject = {};
    normalizeBuiltIn(zero, type);
    return zero;
  };
}

function subresourcesOf(
  gvk: GroupVersionKind,
  resource: DiscoveryResource,
  strategy: Strategy,
  rules: BuiltInKind | undefined,
  behaviour: ResourceBehaviour | undefined,
): ReadonlyMap<string, Subresource> {
  const subresources = (resource.subresources ?? []).map((found): Subresource => {
    const { subresource: name, verbs, responseKind: kind, acceptedTypes } = found;
    const own = name === "status" ? statusStrategy(strategy, rules?.status) : rules?.subresources?.[name];
    const selectorOf = name === "scale" ? rules?.scaleSelector : undefined;
    return {
      name,
      verbs,
      kind,
      ...(acceptedTypes ? { acceptedTypes } : {}),
      ...(hasTable(gvk, name) ? {} : { tableless: true }),
      ...(own ? { strategy: own } : {}),
      ...(selectorOf ? { view: builtInScale(gvk, resource, selectorOf) } : {}),
      ...behaviour?.subresources?.[name],
    };
  });
  return new Map(subresources.map((subresource) => [subresource.name, subresource]));
}

/** Kinds whose status kube-apiserver shows no Table of. */
const withoutStatusTable = ["ResourceClaim", "APIService", "CustomResourceDefinition"];

const hasTable = ({ kind }: GroupVersionKind, subresource: string): boolean =>
  subresource === "scale" || (subresource === "status" && !withoutStatusTable.includes(kind));

function builtInScale(
  gvk: GroupVersionKind,
  { resource: plural, scope }: DiscoveryResource,
  selectorOf: ScaleSource["selectorOf"],
): View {
  return scaleView({
    group: gvk.group,
    plural,
    apiVersion: apiVersionOf(gvk),
    scope,
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    selectorOf,
  });
}
