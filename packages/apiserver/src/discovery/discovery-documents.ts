// The discovery documents: aggregated (one document) and legacy (one per group version). Documents are built on request, and
// rebuilt only after resources came or went.
import { createHash } from "node:crypto";
import { apiVersionOf } from "@kubewright/api";
import type { GroupVersionKinds, Registry } from "../registry/registry.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { aggregatedResource, legacyResources } from "./discovery-resources.js";
import {
  type Aggregation,
  isRemote,
  type ServedGroup,
  type ServedVersion,
  servedGroups,
} from "./served-groups.js";
import { storageVersionHash } from "./storage-version-hash.js";

/** A document clients may keep as long as its hash stays. */
export interface HashedDocument {
  readonly document: unknown;
  readonly hash: string;
}

interface Kept<T> {
  readonly generation: number;
  readonly value: T;
}

export class DiscoveryDocuments {
  readonly #registry: Registry;
  /** The documents made from the whole registry. */
  readonly #whole = new Map<string, Kept<unknown>>();
  /** The part of the aggregated document for each group version. */
  readonly #versions = new WeakMap<GroupVersionKinds, Kept<unknown>>();
  readonly #aggregation: Aggregation;

  constructor(registry: Registry, aggregation: Aggregation) {
    this.#registry = registry;
    this.#aggregation = aggregation;
  }

  /** `APIGroupDiscoveryList`: the core group, or all the others. */
  aggregated(core: boolean): HashedDocument {
    return this.#keep(core ? "api" : "apis", () => {
      const items = this.#groups()
        .filter(({ name }) => (name === "") === core)
        .map(({ name, versions }) => ({
          metadata: name === "" ? {} : { name },
          versions: versions.map((entry) => this.#aggregatedVersion(entry)),
        }));
      const kind = "APIGroupDiscoveryList";
      const document = { kind, apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
      const hash = createHash("sha512").update(JSON.stringify(items)).digest("hex").toUpperCase();
      return { document, hash };
    });
  }

  /** `/apis` */
  groupList(): unknown {
    return this.#keep("groups", () => {
      const groups = this.#groups().filter(({ name }) => name !== "");
      return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(apiGroup) };
    });
  }

  /** `/apis/GROUP`; undefined when there is none. */
  group(name: string): unknown {
    const group = this.#groups().find((candidate) => candidate.name === name);
    return group && name !== "" ? { kind: "APIGroup", apiVersion: "v1", ...apiGroup(group) } : undefined;
  }

  /** `/api/v1`, `/apis/GROUP/VERSION`; undefined when there is none. */
  resources(group: string, version: string): unknown {
    const entry = this.#registry.groupVersion(group, version);
    if (!entry) return undefined;
    const resources = inOrder(entry).flatMap((kind) =>
      legacyResources(kind, storageVersionHash(kind, this.#registry)),
    );
    return {
      kind: "APIResourceList",
      // The core group is older than versions of these documents.
      ...(group === "" ? {} : { apiVersion: "v1" }),
      groupVersion: apiVersionOf({ group, version }),
      resources,
    };
  }

  /** Whether a group is one of Kubernetes' own. */
  isNative(group: string): boolean {
    return this.#registry.isNative(group);
  }

  #groups(): readonly ServedGroup[] {
    return this.#keep("served", () => servedGroups(this.#registry, this.#aggregation));
  }

  #keep<T>(key: string, make: () => T): T {
    // Both only grow, so no sum comes twice.
    const generation = this.#registry.generation + this.#aggregation.generation;
    const kept = this.#whole.get(key);
    if (kept?.generation === generation) return kept.value as T;
    const value = make();
    this.#whole.set(key, { generation, value });
    return value;
  }

  #aggregatedVersion(entry: ServedVersion): unknown {
    if (isRemote(entry))
      return {
        version: entry.version,
        resources: entry.resources,
        freshness: entry.isStale ? "Stale" : "Current",
      };
    const kept = this.#versions.get(entry);
    if (kept?.generation === entry.generation) return kept.value;
    const value = {
      version: entry.version,
      resources: inOrder(entry).map(aggregatedResource),
      freshness: "Current",
    };
    this.#versions.set(entry, { generation: entry.generation, value });
    return value;
  }
}

function apiGroup({ name, versions }: ServedGroup) {
  const entries = versions.map((entry) => ({ groupVersion: apiVersionOf(entry), version: entry.version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** Built-in resources as they are listed in Kubernetes, custom ones by name. */
function inOrder({ kinds }: GroupVersionKinds): ResourceKind[] {
  const all = [...kinds.values()];
  const custom = all.filter((kind) => kind.custom);
  return [
    ...all.filter((kind) => !kind.custom),
    ...custom.sort((left, right) => (left.plural < right.plural ? -1 : 1)),
  ];
}
