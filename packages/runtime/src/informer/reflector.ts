// Keeps a sink in step with the server: everything first, then every change, for as long as it takes. Whatever fails is
// tried again, later and later, and is visible as a state with a reason.
//
// Flow
// - With no position, list: as a stream that goes on as the watch, where the server can; else in pages, then watch.
// - With a position, watch from there. A watch that ends, breaks or falls silent is resumed where it was.
// - A position the server no longer knows, or one beyond the server's own (it was restored, or started anew), is given
//   up: list again.
import {
  ApiError,
  type Clock,
  compareResourceVersions,
  isGone,
  type KubeObject,
  type ResourceDescriptor,
  retryAfterSeconds,
  sleep,
  type WatchEvent,
} from "@kubewright/api";
import { type Client, ConnectionError, type ListOptions, type WatchOptions } from "@kubewright/client";
import { ReconnectDelay } from "./reconnect-delay.js";
import { type ReflectorProblem, type ReflectorState, waitReason } from "./reflector-state.js";
import { IdleWatchError, WatchSession } from "./watch-session.js";

/** Takes in one list; it counts only once committed. */
export interface ListSink<T> {
  put(object: T): void;
  delete(object: T): void;
  /** Replaces everything by what was put, as of this version. */
  commit(version: string): void;
}

/** Takes in what a reflector brings. */
export interface ReflectorSink<T> {
  /** Called before the list is asked for. */
  begin(): ListSink<T>;
  put(object: T): void;
  delete(object: T): void;
  /** Everything up to this version has been told. */
  reached(version: string): void;
}

export interface ReflectorOptions<T> {
  readonly client: Client;
  readonly resource: ResourceDescriptor<T, unknown>;
  readonly selection: Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector">;
  readonly sink: ReflectorSink<T>;
  readonly clock: Clock;
  readonly random: () => number;
  /** A watch silent for longer is dead; servers send a bookmark about every minute. */
  readonly idleTimeout: number;
  /** How long the initial events of a streaming list may pause before pages are asked for instead. */
  readonly streamTimeout: number;
  /** Objects in a page. */
  readonly pageSize: number;
  readonly onError: (error: unknown) => void;
}

/** A watch that lasts this long works, and so does one that brings a change. */
const worksAfter = 5_000;
/** A watch that ends sooner, with nothing, is a failure: it would be opened again without end. */
const shortest = 1_000;
const listTimeout = 60_000;

export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #stop = new AbortController();
  readonly #delay: ReconnectDelay;
  #running: Promise<void> | undefined;
  #state: ReflectorState = { phase: "idle" };
  #problem: ReflectorProblem | undefined;
  /** Everything up to here is in the sink; undefined when a list is needed. */
  #position: string | undefined;
  /** Until the server shows that it cannot. */
  #canStream = true;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#delay = new ReconnectDelay(options.random);
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** What went wrong last, until it works again. */
  get problem(): ReflectorProblem | undefined {
    return this.#problem;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#state = { phase: "stopped" };
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const session = this.#position === undefined ? await this.#list() : undefined;
        await this.#watch(session ?? this.#openWatch());
      } catch (error) {
        if (!signal.aborted) await this.#wait(error);
      }
    }
  }

  /** Lists; returns the watch that follows on if the list was streamed. */
  async #list(): Promise<WatchSession<T> | undefined> {
    if (this.#canStream) {
      const session = await this.#listByStream();
      if (session) return session;
      this.#canStream = false;
    }
    await this.#listByPages();
    return undefined;
  }

  /** Undefined when the server cannot: it refuses, or never says where the initial events end. */
  async #listByStream(): Promise<WatchSession<T> | undefined> {
    this.#state = { phase: "listing", by: "stream" };
    const { sink, streamTimeout, idleTimeout } = this.#options;
    const list = sink.begin();
    const session = this.#open(
      { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" },
      streamTimeout,
    );
    try {
      const version = await this.#initialEvents(session, list);
      if (version === undefined) return this.#leave(session);
      list.commit(version);
      this.#position = version;
      session.idleTimeout = idleTimeout;
      return session;
    } catch (error) {
      this.#leave(session);
      if (error instanceof IdleWatchError || isRefusal(error)) return undefined;
      throw error;
    }
  }

  /** The version at which the initial events end; undefined when the stream ends, or goes on for too long, without. */
  async #initialEvents(session: WatchSession<T>, list: ListSink<T>): Promise<string | undefined> {
    for (let event = await session.next(); event; event = await session.next()) {
      if (event.type === "DELETED") list.delete(event.object);
      else if (event.type !== "BOOKMARK") list.put(event.object);
      else if (endsInitialEvents(event)) return versionOf(event);
      if (session.age > listTimeout) return undefined;
    }
    return undefined;
  }

  async #listByPages(): Promise<void> {
    this.#state = { phase: "listing", by: "pages" };
    try {
      await this.#pages(this.#options.pageSize);
    } catch (error) {
      // The snapshot the pages are cut from expired on the way: take it in one piece.
      if (!isGone(error)) throw error;
      await this.#pages(undefined);
    }
  }

  async #pages(limit: number | undefined): Promise<void> {
    const { client, resource, selection, sink } = this.#options;
    const list = sink.begin();
    const options: ListOptions = { ...selection, limit, timeout: listTimeout, signal: this.#stop.signal };
    let page = await client.list(resource, options);
    for (;;) {
      for (const object of page.items) list.put(object);
      const { continue: next, resourceVersion = "" } = page.metadata;
      if (!next) {
        list.commit(resourceVersion);
        this.#position = resourceVersion;
        return;
      }
      page = await client.list(resource, { ...options, continue: next });
    }
  }

  #openWatch(): WatchSession<T> {
    return this.#open({ resourceVersion: this.#position }, this.#options.idleTimeout);
  }

  #open(how: WatchOptions, idleTimeout: number): WatchSession<T> {
    const { client, resource, selection, clock, random } = this.#options;
    const { signal } = this.#stop;
    const events = client.watch(resource, {
      ...selection,
      ...how,
      allowWatchBookmarks: true,
      // Ending now and then spreads the watches of many clients over the servers there are.
      timeoutSeconds: Math.round(300 * (1 + random())),
      idleTimeout: 0,
      signal,
    });
    return new WatchSession(events, { clock, signal, idleTimeout });
  }

  /** Follows a watch to its end. */
  async #watch(session: WatchSession<T>): Promise<void> {
    this.#state = { phase: "watching" };
    const { clock, resource } = this.#options;
    const position = this.#position;
    const recovery = clock.setTimer(worksAfter, () => this.#recovered());
    try {
      for (let event = await session.next(); event; event = await session.next()) this.#take(event);
      if (session.age < shortest && position === this.#position)
        throw new ConnectionError(`watch ${resource.kind}: the server ended it at once`, "closed");
    } catch (error) {
      if (!(error instanceof IdleWatchError)) throw error;
    } finally {
      recovery.cancel();
      this.#leave(session);
    }
  }

  #take(event: WatchEvent<T>): void {
    const { sink } = this.#options;
    const version = versionOf(event);
    if (event.type === "BOOKMARK") {
      if (version === undefined) return;
      this.#checkDirection(version);
      sink.reached(version);
    } else if (event.type === "DELETED") sink.delete(event.object);
    else sink.put(event.object);
    this.#position = version ?? this.#position;
    this.#recovered();
  }

  /** A server that is behind us has lost its past; what we know of it is no longer true. */
  #checkDirection(version: string): void {
    if (compareResourceVersions(version, this.#position ?? "0") !== -1) return;
    const message = `the server is at version ${version}, which is before ${this.#position}`;
    throw new ApiError(message, { code: 410, reason: "Expired" });
  }

  #recovered(): void {
    if (!this.#problem) return;
    this.#problem = undefined;
    this.#delay.reset();
  }

  async #wait(error: unknown): Promise<void> {
    const { clock, onError } = this.#options;
    const reason = waitReason(error);
    if (reason === "gone" || reason === "not-found" || isLost(error)) this.#position = undefined;
    const delay = this.#delay.next(retryAfterSeconds(error));
    const message = error instanceof Error ? error.message : String(error);
    this.#problem = { reason, message, attempt: this.#delay.attempts };
    this.#state = { phase: "waiting", problem: this.#problem, delay };
    onError(error);
    await sleep(clock, delay, this.#stop.signal).catch(() => undefined);
  }

  #leave(session: WatchSession<T>): undefined {
    session.close();
  }
}

/** The server does not know, or not allow, this way of asking. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && [400, 405, 406, 415, 422].includes(error.code);
}

/** The position leads nowhere: the server has not come that far, or what it sends from there makes no sense. */
function isLost(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.problem === "malformed";
  const causes = error instanceof ApiError ? error.details?.causes : undefined;
  return causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") ?? false;
}

function endsInitialEvents({ object }: WatchEvent<KubeObject>): boolean {
  return object.metadata?.annotations?.["k8s.io/initial-events-end"] === "true";
}

/** Objects come from outside and may lack what they should have. */
function versionOf({ object }: WatchEvent<KubeObject | undefined | null>): string | undefined {
  const version = object?.metadata?.resourceVersion;
  return typeof version === "string" && version !== "" ? version : undefined;
}
