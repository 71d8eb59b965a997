// Every object of the cluster in short, kept up to date: one watch for each kind, new kinds as they are installed. Values of Secrets
// and ConfigMaps are never read: their metadata is enough.
import type { Clock, KubeObject, Timer } from "@kubewright/api";
import { CustomResourceDefinition } from "@kubewright/api";
import { type Client, type DynamicResource, metadataOnly } from "@kubewright/client";
import { Informer } from "@kubewright/runtime";
import type { KindInfo, KindProblem, ObjectSummary, ObjectsUpdate } from "../protocol.js";
import { Batch } from "./batch.js";
import { isCustom } from "./built-in-groups.js";
import { summaryOf } from "./summary.js";

/** Written all the time, or a second form of something else; the tables show them, the graph does without. */
const omitted = new Set(["events", "leases", "endpoints", "componentstatuses", "controllerrevisions"]);
const metadataKinds = new Set(["secrets", "configmaps"]);
/** Milliseconds in which changes are collected into one update. */
const pause = 100;
/** Milliseconds until problems are looked at again. */
const lookAgain = 1_000;

interface Summarised extends KubeObject {
  readonly summary: ObjectSummary;
}

interface KindFeed {
  readonly resource: DynamicResource;
  readonly informer: Informer<KubeObject>;
}

export interface ObjectFeedListener {
  onObjects(update: ObjectsUpdate): void;
  onKinds(kinds: readonly KindInfo[]): void;
}

/** The kinds whose objects are followed. */
export type KindFilter = (kind: Pick<DynamicResource, "group" | "plural">) => boolean;

export class ObjectFeed {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #follows: KindFilter;
  readonly #listeners = new Set<ObjectFeedListener>();
  readonly #feeds = new Map<string, KindFeed>();
  readonly #summaries = new Map<string, ObjectSummary>();
  readonly #definitions: Informer<KubeObject>;
  readonly #batch: Batch<ObjectSummary>;
  readonly #stop = new AbortController();
  #kinds: readonly KindInfo[] = [];
  #refreshing: Promise<void> | undefined;
  #isStale = false;
  /** The problems that listeners know. */
  #sentState = "";
  #looking: Timer | undefined;

  constructor(client: Client, clock: Clock, follows: KindFilter = () => true) {
    this.#client = client;
    this.#follows = follows;
    this.#clock = clock;
    this.#batch = new Batch(clock, pause, (changed, removed) => this.#send({ changed, removed }));
    this.#definitions = new Informer<KubeObject>({
      client,
      clock,
      resource: metadataOnly(CustomResourceDefinition),
      onError: () => this.#batch.poke(),
    });
    this.#definitions.onChange(() => this.#refreshSoon());
  }

  start(): void {
    this.#definitions.start();
    this.#refreshSoon();
  }

  get kinds(): readonly KindInfo[] {
    return this.#kinds;
  }

  summary(uid: string): ObjectSummary | undefined {
    return this.#summaries.get(uid);
  }

  /** Sends what is known at once, then every change. */
  subscribe(listener: ObjectFeedListener): () => void {
    this.#listeners.add(listener);
    listener.onKinds(this.#kinds);
    listener.onObjects({
      reset: true,
      changed: [...this.#summaries.values()],
      removed: [],
      ...this.#state(),
    });
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#batch.close();
    this.#looking?.cancel();
    this.#listeners.clear();
    const informers = [this.#definitions, ...[...this.#feeds.values()].map(({ informer }) => informer)];
    await Promise.all(informers.map((informer) => informer.close()));
  }

  /** What is tried again and fails again is no news. */
  #send(changes: Pick<ObjectsUpdate, "changed" | "removed">): void {
    const state = this.#state();
    // Nobody reports that a problem is over: what is in the way is looked at until it is.
    if (state.problems.length > 0)
      this.#looking ??= this.#clock.setTimer(lookAgain, () => {
        this.#looking = undefined;
        this.#batch.poke();
      });
    const text = JSON.stringify(state);
    if (changes.changed.length + changes.removed.length === 0 && text === this.#sentState) return;
    this.#sentState = text;
    const update = { ...changes, ...state };
    for (const listener of this.#listeners) listener.onObjects(update);
  }

  #state(): Pick<ObjectsUpdate, "problems" | "synced"> {
    const feeds = [...this.#feeds.values()];
    const problems = feeds.flatMap(({ resource, informer }): KindProblem[] =>
      informer.problem
        ? [{ kind: resource.kind, message: informer.problem.message, reason: informer.problem.reason }]
        : [],
    );
    const synced = feeds.length > 0 && feeds.every(({ informer }) => informer.hasSynced || informer.problem);
    return { problems, synced };
  }

  /** Asks for the kinds again; changes that come meanwhile lead to one more request. */
  #refreshSoon(): void {
    this.#isStale = true;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
  }

  async #refresh(): Promise<void> {
    while (this.#isStale && !this.#stop.signal.aborted) {
      this.#isStale = false;
      try {
        await this.#follow(await this.#client.resources({ refresh: true, signal: this.#stop.signal }));
      } catch {
        // The server is away, which the watches report; the kinds are asked for again when it is back.
        this.#isStale = !this.#stop.signal.aborted;
        await wait(this.#clock, 1_000);
      }
    }
  }

  /** Starts what is new and ends what is gone. */
  async #follow(resources: readonly DynamicResource[]): Promise<void> {
    const watched = preferred(
      resources.filter(({ verbs }) => verbs?.includes("list") && verbs.includes("watch")),
    );
    this.#kinds = watched.map(kindInfo);
    for (const listener of this.#listeners) listener.onKinds(this.#kinds);
    const followed = new Map(
      watched
        .filter((resource) => !omitted.has(resource.plural) && this.#follows(resource))
        .map((resource) => [idOf(resource), resource]),
    );
    for (const [id, { informer }] of this.#feeds) {
      if (followed.has(id)) continue;
      this.#feeds.delete(id);
      for (const object of informer.store.list()) this.#remove(object);
      await informer.close();
    }
    for (const [id, resource] of followed)
      if (!this.#feeds.has(id)) this.#feeds.set(id, this.#open(resource));
  }

  #open(resource: DynamicResource): KindFeed {
    const read = metadataKinds.has(resource.plural) ? metadataOnly(resource) : resource;
    const transform = (object: KubeObject): Summarised => ({
      metadata: { ...identity(object) },
      summary: summaryOf(object, resource),
    });
    const informer = new Informer<KubeObject>({
      client: this.#client,
      clock: this.#clock,
      resource: read,
      transform,
      onError: () => this.#batch.poke(),
    });
    informer.onChange(({ previous, current }) => {
      if (current) this.#put(current);
      else if (previous) this.#remove(previous);
    });
    informer.start();
    informer.synced(this.#stop.signal).then(
      () => this.#batch.poke(),
      () => undefined,
    );
    return { resource, informer };
  }

  #put(object: KubeObject): void {
    const { summary } = object as Summarised;
    this.#summaries.set(summary.uid, summary);
    this.#batch.change(summary.uid, summary);
  }

  #remove(object: KubeObject): void {
    const { uid } = (object as Summarised).summary;
    this.#summaries.delete(uid);
    this.#batch.remove(uid);
  }
}

/** The metadata an informer needs of what it stores. */
function identity({ metadata = {} }: KubeObject) {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { name, namespace, uid, resourceVersion };
}

const idOf = ({ group, plural }: DynamicResource): string => `${plural}.${group}`;

/** Of each resource the first version listed, which is the one the server prefers. */
function preferred(resources: readonly DynamicResource[]): readonly DynamicResource[] {
  const chosen = new Map<string, DynamicResource>();
  for (const resource of resources) if (!chosen.has(idOf(resource))) chosen.set(idOf(resource), resource);
  return [...chosen.values()];
}

const kindInfo = ({ group, version, plural, kind, scope, verbs }: DynamicResource): KindInfo => ({
  group,
  version,
  plural,
  kind,
  namespaced: scope === "Namespaced",
  custom: isCustom(group),
  verbs: verbs ?? [],
});

const wait = (clock: Clock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => clock.setTimer(milliseconds, resolve));
