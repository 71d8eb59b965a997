// The registry of served resources: built-in ones from the start, custom ones as their CRDs come and go.
import type { GroupVersion } from "@kubewright/api";
import type { ResourceKind } from "./resource-kind.js";

const idOf = (group: string, version: string, plural: string): string => `${group}/${version}/${plural}`;

/** The resources of one group version. */
export interface GroupVersionKinds extends GroupVersion {
  /** By plural. */
  readonly kinds: ReadonlyMap<string, ResourceKind>;
  /** Changes whenever a resource of the group version is added or removed; never one that another once had. */
  readonly generation: number;
}

interface Entry extends GroupVersion {
  readonly kinds: Map<string, ResourceKind>;
  generation: number;
}

export class Registry {
  readonly #kinds = new Map<string, ResourceKind>();
  readonly #groupVersions = new Map<string, Entry>();
  #generation = 0;

  /** Changes whenever a resource is added or removed: what caches of discovery and OpenAPI compare. */
  get generation(): number {
    return this.#generation;
  }

  add(kind: ResourceKind): void {
    const { group, version, plural } = kind;
    this.#kinds.set(idOf(group, version, plural), kind);
    const key = `${group}/${version}`;
    const entry = this.#groupVersions.get(key) ?? { group, version, kinds: new Map(), generation: 0 };
    this.#groupVersions.set(key, entry);
    entry.kinds.set(plural, kind);
    entry.generation = ++this.#generation;
  }

  remove({ group, version, plural }: Pick<ResourceKind, "group" | "version" | "plural">): void {
    if (!this.#kinds.delete(idOf(group, version, plural))) return;
    const key = `${group}/${version}`;
    const entry = this.#groupVersions.get(key);
    if (!entry) return;
    entry.kinds.delete(plural);
    entry.generation = ++this.#generation;
    if (entry.kinds.size === 0) this.#groupVersions.delete(key);
  }

  find(group: string, version: string, plural: string): ResourceKind | undefined {
    return this.#kinds.get(idOf(group, version, plural));
  }

  findKind(group: string, version: string, kind: string): ResourceKind | undefined {
    for (const candidate of this.groupVersion(group, version)?.kinds.values() ?? []) {
      if (candidate.kind === kind) return candidate;
    }
    return undefined;
  }

  /** Whether the group is one the server is built with. */
  isNative(group: string): boolean {
    for (const entry of this.#groupVersions.values()) {
      if (entry.group !== group) continue;
      for (const { custom } of entry.kinds.values()) if (!custom) return true;
    }
    return false;
  }

  /** Whether any resource of the group version is served. */
  hasGroupVersion(group: string, version: string): boolean {
    return this.#groupVersions.has(`${group}/${version}`);
  }

  groupVersion(group: string, version: string): GroupVersionKinds | undefined {
    return this.#groupVersions.get(`${group}/${version}`);
  }

  /** The group versions with resources, in the order they were added. */
  groupVersions(): Iterable<GroupVersionKinds> {
    return this.#groupVersions.values();
  }

  all(): Iterable<ResourceKind> {
    return this.#kinds.values();
  }
}
