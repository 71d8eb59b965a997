// After a while what hostile requests left behind is deleted, the way anyone would delete it: what cannot be is a finding.
import { setTimeout as sleep } from "node:timers/promises";
import { MemoryStorage, type StorageRow } from "@kubewright/apiserver";
import type { Target } from "../robustness/target.js";

/** A store that counts its subscribers. */
export class WatchedStorage extends MemoryStorage {
  listeners = 0;
  override subscribe(...args: Parameters<MemoryStorage["subscribe"]>): () => void {
    const end = super.subscribe(...args);
    let isOpen = true;
    this.listeners++;
    return () => {
      if (isOpen) this.listeners--;
      isOpen = false;
      end();
    };
  }
}

const isCustom = ({ resource }: StorageRow): boolean => resource.startsWith("custom/");
const idOf = ({ resource, key }: Pick<StorageRow, "resource" | "key">): string => `${resource} ${key}`;

/** Deletes what was not there in the beginning. */
export class Housekeeping {
  readonly #target: Target;
  readonly #storage: WatchedStorage;
  readonly #initial: ReadonlySet<string>;

  constructor(target: Target, storage: WatchedStorage) {
    this.#target = target;
    this.#storage = storage;
    this.#initial = new Set([...storage.contents().rows].map(idOf));
  }

  /** Deletes what is new; returns what could not be deleted and had to be torn out. */
  async clean(): Promise<readonly string[]> {
    // Objects of custom kinds go before the definitions that keep them.
    const rows = this.#added();
    for (const row of rows.filter(isCustom)) await this.#remove(row);
    for (const row of rows.filter((each) => !isCustom(each))) await this.#remove(row);
    for (let round = 0; round < 200 && this.#added().length > 0; round++) await sleep(1);
    const left = this.#added();
    for (const { resource, key } of left) this.#storage.delete(resource, key, "any");
    // Nobody deletes namespaces here.
    return left.filter(({ resource }) => resource !== "namespaces").map(idOf);
  }

  /** Forgets all changes. */
  forget(): void {
    this.#storage.compact(this.#storage.revision);
  }

  /** How many objects are new. */
  get added(): number {
    return this.#added().length;
  }

  #added(): StorageRow[] {
    const added: StorageRow[] = [];
    for (const row of this.#storage.contents().rows) if (!this.#initial.has(idOf(row))) added.push(row);
    return added;
  }

  async #remove(row: StorageRow): Promise<void> {
    const path = pathOf(row);
    const query = "gracePeriodSeconds=0";
    await this.#target.send({ method: "DELETE", path, query });
    const left = this.#storage.get(row.resource, row.key);
    if (!left?.metadata.finalizers?.length || left.kind === "CustomResourceDefinition") return;
    const bytes = '{"metadata":{"finalizers":null}}';
    await this.#target.send({ method: "PATCH", path, type: "application/merge-patch+json", bytes });
  }
}

/** Where an object is served. */
export function pathOf({ resource, key, object }: StorageRow): string {
  const root = object.apiVersion.includes("/") ? "/apis" : "/api";
  const [first = "", second] = key.split("/").map(encodeURIComponent);
  const plural = resource.slice(resource.lastIndexOf("/") + 1);
  const place = second === undefined ? `${plural}/${first}` : `namespaces/${first}/${plural}/${second}`;
  return `${root}/${object.apiVersion}/${place}`;
}
