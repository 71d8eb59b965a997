// What is there for requests to be about. A request may fairly delete any of it, the definition of a kind too: then it is made
// again. Whatever goes without having been deleted is lost.
import { setTimeout as sleep } from "node:timers/promises";
import { definition, type Sample, samples } from "../robustness/samples.js";
import type { Sent, Target } from "../robustness/target.js";
import { currentVersion } from "./attack.js";
import { type CustomKind, sampleOf } from "./custom-kinds.js";
import { pathOf, type WatchedStorage } from "./housekeeping.js";
import { standingPolicies } from "./standing-policies.js";

/** Milliseconds until a definition must be served. */
const longestWait = 5_000;

/** Makes what there is, and makes it again. */
export class Standing {
  readonly #target: Target;
  readonly #storage: WatchedStorage;
  readonly #definitions: readonly Sample[];
  readonly #objects: readonly Sample[];
  /** How many times a definition was deleted and made again. */
  restored = 0;

  constructor(target: Target, storage: WatchedStorage, kinds: readonly CustomKind[]) {
    this.#target = target;
    this.#storage = storage;
    this.#definitions = [definition, ...kinds.map((kind) => kind.definition)];
    const custom = kinds.map(sampleOf);
    this.#objects = [...samples.filter((sample) => sample !== definition), ...custom, ...standingPolicies];
  }

  /** The collections that must always be there. */
  get collections(): readonly string[] {
    return [definition.path, ...this.#objects.map(({ path }) => path)];
  }

  /** Makes whatever is missing. */
  async make(): Promise<void> {
    const missing = this.#missing();
    for (const { path, object } of missing) await this.#target.must({ method: "POST", path, object });
    if (missing.length > 0) await this.served();
    await this.refill();
  }

  /** Resolves when all there is can be reached. */
  async served(): Promise<void> {
    for (const { path } of this.#objects) await this.#served(path);
  }

  /** Makes objects again that were deleted. */
  async refill(): Promise<void> {
    const there = new Set<string>();
    for (const row of this.#storage.contents().rows) there.add(pathOf(row));
    for (const { path, object } of this.#objects)
      if (!there.has(`${path}/${object.metadata.name}`))
        await this.#target.send({ method: "POST", path, object });
  }

  /** The request with the version its object has now, where it speaks of it. */
  current<T extends Sent>(sent: T): T {
    const { bytes, path } = sent;
    if (typeof bytes !== "string" || !bytes.includes(currentVersion)) return sent;
    const { version = "1" } = this.#versionAt(path);
    return { ...sent, bytes: bytes.replaceAll(currentVersion, version) };
  }

  #versionAt(path: string): { readonly version?: string | undefined } {
    const [, plural = "", name = ""] = /([^/]+)\/([^/]+)$/.exec(path) ?? [];
    const key = path.includes("/namespaces/") ? `default/${name}` : name;
    const stored = this.#storage.get(`custom/standing.example.com/${plural}`, key);
    return { version: stored?.metadata.resourceVersion };
  }

  /** After a request: definitions it deleted are made again, with objects of theirs. */
  async heed({ method, path }: Sent): Promise<void> {
    if (method !== "DELETE" || !path.includes("customresourcedefinitions")) return;
    const gone = this.#missing().length;
    if (gone === 0) return;
    this.restored += gone;
    await this.#gone();
    await this.make();
  }

  #missing(): readonly Sample[] {
    return this.#definitions.filter(({ object }) => {
      const stored = this.#storedDefinition(object.metadata.name);
      return !stored || stored.metadata.deletionTimestamp !== undefined;
    });
  }

  #storedDefinition(name: string): ReturnType<WatchedStorage["get"]> {
    return this.#storage.get("apiextensions.k8s.io/customresourcedefinitions", name);
  }

  /** Waits until what is being deleted is away. */
  async #gone(): Promise<void> {
    const isLeaving = (): boolean =>
      this.#definitions.some(
        ({ object }) =>
          this.#storedDefinition(object.metadata.name)?.metadata.deletionTimestamp !== undefined,
      );
    for (let waited = 0; isLeaving() && waited < longestWait; waited += 5) await sleep(5);
  }

  async #served(path: string): Promise<void> {
    for (let waited = 0; waited < longestWait; waited += 5) {
      if ((await this.#target.send({ method: "GET", path })).status === 200) return;
      await sleep(5);
    }
  }
}
