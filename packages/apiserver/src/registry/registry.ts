// Which resources the server has right now. Built-in ones are there from the start; custom ones come and go.
import type { ResourceKind } from "./resource-kind.js";

const idOf = (group: string, version: string, plural: string): string => `${group}/${version}/${plural}`;

export class Registry {
  readonly #kinds = new Map<string, ResourceKind>();
  #generation = 0;

  /** Changes whenever a resource is added or removed: what caches of discovery and OpenAPI compare. */
  get generation(): number {
    return this.#generation;
  }

  add(kind: ResourceKind): void {
    this.#kinds.set(idOf(kind.group, kind.version, kind.plural), kind);
    this.#generation++;
  }

  remove(kind: Pick<ResourceKind, "group" | "version" | "plural">): void {
    if (this.#kinds.delete(idOf(kind.group, kind.version, kind.plural))) this.#generation++;
  }

  find(group: string, version: string, plural: string): ResourceKind | undefined {
    return this.#kinds.get(idOf(group, version, plural));
  }

  findKind(group: string, version: string, kind: string): ResourceKind | undefined {
    for (const candidate of this.#kinds.values()) {
      if (candidate.kind === kind && candidate.group === group && candidate.version === version)
        return candidate;
    }
    return undefined;
  }

  /** Whether the group is one the server is built with. */
  isNative(group: string): boolean {
    for (const kind of this.#kinds.values()) if (kind.group === group) return !kind.custom;
    return false;
  }

  /** Whether any resource of the group version is served. */
  hasGroupVersion(group: string, version: string): boolean {
    for (const kind of this.#kinds.values())
      if (kind.group === group && kind.version === version) return true;
    return false;
  }

  all(): Iterable<ResourceKind> {
    return this.#kinds.values();
  }
}
