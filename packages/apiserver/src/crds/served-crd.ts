// A CRD while it is served: from when its names are accepted until it changes or is deleted.

import { type CustomResourceDefinition, deepEqual, findCondition } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

import type { Services } from "../registry/request-context.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { converterFor } from "./converter.js";
import { type ConversionPlan, CustomConversion } from "./custom-conversion.js";
import { customKind } from "./custom-kind.js";
import { type VersionSchema, versionSchemas } from "./version-schema.js";

/** Whether a condition of a CRD is true. */
export const isTrue = ({ status }: CustomResourceDefinition, type: string): boolean =>
  findCondition(status?.conditions ?? undefined, type)?.status === "True";

export class ServedCrd {
  readonly crd: CustomResourceDefinition;
  readonly #services: Services;
  readonly #versions: ReadonlyMap<string, VersionSchema>;
  /** The version objects are stored in. */
  readonly #storage: VersionSchema;
  readonly #conversions = new Map<string, CustomConversion>();
  readonly #onNoLongerServed = new Set<() => void>();
  /** Objects written after this revision were written under this CRD. */
  readonly #since: number;
  /** Whether `#since` can be relied on. */
  #isTrusted: boolean;
  #successor: ServedCrd | undefined;

  constructor(crd: CustomResourceDefinition, services: Services) {
    this.crd = crd;
    this.#services = services;
    this.#versions = versionSchemas(crd);
    this.#storage = storageVersion(crd, [...this.#versions.values()]);
    this.#since = services.storage.revision;
    // With several versions, a stored object may lack defaults of another version.
    this.#isTrusted = this.#versions.size === 1;
    const plan = this.#plan();
    for (const version of this.#versions.values())
      this.#conversions.set(version.apiVersion, new CustomConversion(version, plan));
  }

  /** Whether a changed CRD is served in the same way. */
  serves(crd: CustomResourceDefinition): boolean {
    const { metadata, spec, status } = this.crd;
    return (
      metadata?.uid === crd.metadata?.uid &&
      deepEqual(spec, crd.spec) &&
      deepEqual(status?.acceptedNames, crd.status?.acceptedNames)
    );
  }

  /** A resource for each served version. While the CRD is being deleted, no objects can be created. */
  kinds(isTerminating: boolean): ResourceKind[] {
    const served = [...this.#versions.values()].filter(({ version }) => version.served);
    return served.flatMap(({ apiVersion }) => this.kindOf(apiVersion, isTerminating) ?? []);
  }

  /** The resource of a version, served or not; undefined when there is no such version. */
  kindOf(apiVersion: string, isTerminating = false): ResourceKind | undefined {
    const version = this.#versions.get(apiVersion);
    const conversion = this.#conversions.get(apiVersion);
    if (!version || !conversion) return undefined;
    const onNoLongerServed = (callback: () => void) => this.#whenNoLongerServed(callback);
    return customKind(this.crd, version, { conversion, onNoLongerServed, isTerminating });
  }

  /** Ends the watches: the CRD is no longer served, or served differently, and clients list again. */
  stopServing(successor?: ServedCrd): void {
    this.#successor = successor;
    for (const callback of [...this.#onNoLongerServed]) callback();
    this.#onNoLongerServed.clear();
  }

  #whenNoLongerServed(callback: () => void): () => void {
    this.#onNoLongerServed.add(callback);
    return () => this.#onNoLongerServed.delete(callback);
  }

  #plan(): ConversionPlan {
    return {
      versions: this.#versions,
      storage: this.#storage,
      converter: converterFor(this.crd, this.#services),
      isCurrent: (object) => this.#isCurrent(object),
      storing: () => this.#storing(),
    };
  }

  #isCurrent({ metadata }: StoredObject): boolean {
    return this.#isTrusted && Number(metadata.resourceVersion) > this.#since;
  }

  /** A request in flight when the CRD changed writes an object by the former schema. */
  #storing(): void {
    if (this.#successor) this.#successor.#distrust();
  }

  #distrust(): void {
    this.#isTrusted = false;
    if (this.#successor) this.#successor.#distrust();
  }
}

function storageVersion(
  { metadata }: CustomResourceDefinition,
  versions: readonly VersionSchema[],
): VersionSchema {
  const storage = versions.find(({ version }) => version.storage) ?? versions[0];
  if (!storage) throw new Error(`CustomResourceDefinition ${metadata?.name}: no versions`);
  return storage;
}
