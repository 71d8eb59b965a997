// A definition while it is served: from when its names are accepted until it changes or goes.
import { type CustomResourceDefinition, deepEqual, findCondition } from "@kubewright/api";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { Services } from "../request/context.js";
import type { StoredObject } from "../storage/index.js";
import { converterFor } from "./converter.js";
import { type ConversionPlan, CustomConversion } from "./custom-conversion.js";
import { customKind } from "./custom-kind.js";
import { type VersionSchema, versionSchemas } from "./version-schema.js";

/** Whether a condition of a definition is true. */
export const isTrue = ({ status }: CustomResourceDefinition, type: string): boolean =>
  findCondition(status?.conditions ?? undefined, type)?.status === "True";

export class ServedDefinition {
  readonly definition: CustomResourceDefinition;
  readonly #services: Services;
  readonly #versions: ReadonlyMap<string, VersionSchema>;
  /** The version objects are stored in. */
  readonly #storage: VersionSchema;
  readonly #conversions = new Map<string, CustomConversion>();
  readonly #onWithdrawn = new Set<() => void>();
  /** Objects written after this revision were written under this definition. */
  readonly #since: number;
  /** Whether that can be counted on. */
  #isTrusted: boolean;
  #successor: ServedDefinition | undefined;

  constructor(definition: CustomResourceDefinition, services: Services) {
    this.definition = definition;
    this.#services = services;
    this.#versions = versionSchemas(definition);
    this.#storage = storageVersion(definition, [...this.#versions.values()]);
    this.#since = services.storage.revision;
    // With several versions, one may lack what defaults of another would fill in.
    this.#isTrusted = this.#versions.size === 1;
    const plan = this.#plan();
    for (const version of this.#versions.values())
      this.#conversions.set(version.apiVersion, new CustomConversion(version, plan));
  }

  /** Whether a changed definition is served in the same way. */
  serves(definition: CustomResourceDefinition): boolean {
    const { metadata, spec, status } = this.definition;
    return (
      metadata?.uid === definition.metadata?.uid &&
      deepEqual(spec, definition.spec) &&
      deepEqual(status?.acceptedNames, definition.status?.acceptedNames)
    );
  }

  /** A resource for each served version. While the definition is being deleted, no objects can be created. */
  kinds(isTerminating: boolean): ResourceKind[] {
    const served = [...this.#versions.values()].filter(({ version }) => version.served);
    return served.flatMap(({ apiVersion }) => this.kindOf(apiVersion, isTerminating) ?? []);
  }

  /** The resource of a version, served or not; undefined when there is no such version. */
  kindOf(apiVersion: string, isTerminating = false): ResourceKind | undefined {
    const version = this.#versions.get(apiVersion);
    const conversion = this.#conversions.get(apiVersion);
    if (!version || !conversion) return undefined;
    const onWithdrawn = (callback: () => void) => this.#whenWithdrawn(callback);
    return customKind(this.definition, version, { conversion, onWithdrawn, isTerminating });
  }

  /** It is served no longer, or differently: watches end, and their clients look again. */
  retire(successor?: ServedDefinition): void {
    this.#successor = successor;
    for (const callback of [...this.#onWithdrawn]) callback();
    this.#onWithdrawn.clear();
  }

  #whenWithdrawn(callback: () => void): () => void {
    this.#onWithdrawn.add(callback);
    return () => this.#onWithdrawn.delete(callback);
  }

  #plan(): ConversionPlan {
    return {
      versions: this.#versions,
      storage: this.#storage,
      converter: converterFor(this.definition, this.#services),
      isCurrent: (object) => this.#isCurrent(object),
      storing: () => this.#storing(),
    };
  }

  #isCurrent({ metadata }: StoredObject): boolean {
    return this.#isTrusted && Number(metadata.resourceVersion) > this.#since;
  }

  /** A request that was under way when the definition changed writes what was right before. */
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
