// Several served versions of a kind, converted through one of them, the hub. Two functions for each other version; versions
// that are not the hub reach each other through it.
import {
  apiVersionOf,
  type InputOf,
  isObject,
  type KubeObject,
  type ObjectMeta,
  type ObjectOf,
  type ResourceDescriptor,
} from "@kubewright/api";
import type { ResourceDefinition } from "@kubewright/schema";
import type { VersionSchema } from "./distinct-object.js";

/** A kind with several versions, made with `defineResource`. */
type Hub = ResourceDefinition<KubeObject, KubeObject, AnyVersions>;
type AnyVersions = Readonly<Record<string, AnyVersion>>;
type AnyVersion = ResourceDescriptor<KubeObject, KubeObject> &
  VersionSchema & {
    // A definition's own `default` takes what its schema allows; here it is given what converters return.
    default(object: never): KubeObject;
  };

/**
 * The result of a conversion: the fields of the other version. Identity stays as it is; so do labels and annotations unless
 * `metadata` has them, and the status unless one is returned. Defaults of the schema are filled in.
 */
export type Converted<Input> = Omit<Input, "apiVersion" | "kind" | "metadata"> & {
  readonly metadata?: Pick<ObjectMeta, "labels" | "annotations"> | undefined;
};

/** The conversions of one version to the hub and back. */
export interface Spoke<Kind, HubObject, HubInput> {
  up(old: ObjectOf<Kind>): Converted<HubInput>;
  down(hub: HubObject): Converted<InputOf<Kind>>;
}

/** A spoke for every version but the hub. */
export type Spokes<Versions, HubObject, HubInput> = {
  readonly [V in keyof Versions]: Spoke<Versions[V], HubObject, HubInput>;
};

/** The conversions of a kind, ready to be given to a manager. */
export interface ConversionDefinition {
  readonly kind: "kubewright.conversion";
  readonly hub: ResourceDefinition;
  /** The versions it converts, the hub among them. */
  readonly versions: readonly string[];
  /** Their schemas, in the same order. */
  readonly schemas: readonly VersionSchema[];
  /** Converts an object to another version of its kind. Throws for unknown versions. */
  convert(object: KubeObject, apiVersion: string): KubeObject;
}

interface AnySpoke {
  up(old: KubeObject): KubeObject;
  down(hub: KubeObject): KubeObject;
}

/**
 * Declares the conversions between the versions of a kind, whose definition has `conversion: "webhook"`.
 *
 * @example
 * export const appServiceConversion = defineConversion(AppService, {
 *   v1alpha1: {
 *     up: ({ spec }) => ({ spec: { size: spec.count } }),
 *     down: ({ spec }) => ({ spec: { count: spec.size } }),
 *   },
 * });
 */
export function defineConversion<
  T extends KubeObject,
  Input extends KubeObject,
  Versions extends AnyVersions,
  // Inferred, so that string literals in what the functions return keep their types.
  const AllSpokes extends Spokes<Versions, T, Input>,
>(hub: ResourceDefinition<T, Input, Versions>, spokes: AllSpokes): ConversionDefinition {
  if (hub.crd().spec.conversion?.strategy !== "Webhook")
    throw new Error(`${hub.kind}.${hub.group} has a conversion but does not say conversion: "webhook"`);
  // The types of a spoke are those of its version, and only objects of that version reach it.
  const byVersion = new Map(Object.entries(spokes as unknown as Record<string, AnySpoke>));
  for (const version of Object.keys(hub.versions))
    if (!byVersion.has(version)) throw new Error(`the conversion of ${hub.kind} lacks version ${version}`);
  const versions: Readonly<Record<string, VersionSchema | undefined>> = hub.versions;
  const conversion = new Conversion(hub as unknown as Hub, byVersion);
  return {
    kind: "kubewright.conversion",
    hub: hub as unknown as ResourceDefinition,
    versions: [hub.version, ...byVersion.keys()],
    schemas: [hub, ...[...byVersion.keys()].map((version) => versions[version])].filter(
      (version) => version !== undefined,
    ),
    convert: (object, apiVersion) => conversion.convert(object, apiVersion),
  };
}

class Conversion {
  readonly #hub: Hub;
  readonly #spokes: ReadonlyMap<string, AnySpoke>;

  constructor(hub: Hub, spokes: ReadonlyMap<string, AnySpoke>) {
    this.#hub = hub;
    this.#spokes = spokes;
  }

  convert(object: KubeObject, apiVersion: string): KubeObject {
    if (object.apiVersion === apiVersion) return object;
    return this.#down(this.#up(object), apiVersion);
  }

  #up(object: KubeObject): KubeObject {
    if (object.apiVersion === this.#hub.apiVersion) return object;
    const { spoke } = this.#version(object.apiVersion ?? "");
    return this.#complete(this.#hub, object, spoke.up(object));
  }

  #down(object: KubeObject, apiVersion: string): KubeObject {
    if (apiVersion === this.#hub.apiVersion) return object;
    const { spoke, version } = this.#version(apiVersion);
    return this.#complete(version, object, spoke.down(object));
  }

  #version(apiVersion: string): { readonly spoke: AnySpoke; readonly version: AnyVersion } {
    const { group, kind, versions } = this.#hub;
    for (const [name, spoke] of this.#spokes) {
      const version = versions[name];
      if (version && apiVersionOf({ group, version: name }) === apiVersion) return { spoke, version };
    }
    throw new Error(`${kind}.${group} has no version ${apiVersion || "(none)"} to convert`);
  }

  #complete(target: AnyVersion, from: KubeObject, converted: KubeObject): KubeObject {
    const { apiVersion: _apiVersion, kind: _kind, metadata, ...fields } = converted;
    const { labels = from.metadata?.labels, annotations = from.metadata?.annotations } = metadata ?? {};
    const whole = {
      apiVersion: apiVersionOf(target),
      kind: target.kind,
      metadata: stated({ ...from.metadata, labels, annotations }),
      ...("status" in from ? { status: from.status } : {}),
      ...fields,
    };
    return target.default(whole as never);
  }
}

/** Removes fields that are undefined or empty. */
const stated = (metadata: ObjectMeta): ObjectMeta =>
  Object.fromEntries(
    Object.entries(metadata).filter(([field, value]) => value !== undefined && !isEmptyMap(field, value)),
  );

const isEmptyMap = (field: string, value: unknown): boolean =>
  (field === "labels" || field === "annotations") && isObject(value) && Object.keys(value).length === 0;
