// Lists and watches of a kind: a streaming list, a list in pages, or a watch from a resource version.
import {
  ApiError,
  type Clock,
  isGone,
  type KubeList,
  type KubeObject,
  type ResourceDescriptor,
  type WatchEvent,
} from "@kubewright/api";
import type { Client, ListOptions, WatchOptions } from "@kubewright/client";
import { IdleWatchError, WatchSession } from "./watch-session.js";

/** Takes in one list; it counts only once committed. */
export interface ListSink<T> {
  put(object: T): void;
  delete(object: T): void;
  /** Replaces everything by what was put, as of this version. */
  commit(version: string): void;
}

export interface KindSourceOptions<T> {
  readonly client: Client;
  readonly resource: ResourceDescriptor<T, unknown>;
  readonly selection: Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector">;
  readonly clock: Clock;
  readonly random: () => number;
  /** A watch silent for longer is dead; servers send a bookmark about every minute. */
  readonly idleTimeout: number;
  /** The longest pause of a streaming list's initial events before it is given up. */
  readonly streamTimeout: number;
  /** Objects in a page. */
  readonly pageSize: number;
  /** Decodes responses that come as bytes. Default: JSON.parse. */
  readonly decode?: ((document: Uint8Array) => unknown) | undefined;
}

/** The timeout of one page, or of all initial events of a stream. */
const listTimeout = 60_000;
/** Ending now and then spreads the watches of many clients over the servers there are. */
const watchSeconds = 300;
/** There is nothing to spread over in one process. */
const inProcessSeconds = 30 * 24 * 60 * 60;

export class KindSource<T extends KubeObject> {
  readonly #options: KindSourceOptions<T>;
  readonly #signal: AbortSignal;

  constructor(options: KindSourceOptions<T>, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Changes after a version. */
  watch(version: string): WatchSession<T> {
    return this.#open({ resourceVersion: version }, this.#options.idleTimeout);
  }

  /**
   * Everything, as the beginning of a watch; returns the watch and where it stands. Undefined when the server cannot: it
   * refuses, or never says where the initial events end.
   */
  async streamList(
    list: ListSink<T>,
  ): Promise<{ readonly session: WatchSession<T>; readonly version: string } | undefined> {
    const { streamTimeout, idleTimeout } = this.#options;
    const session = this.#open(
      { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" },
      streamTimeout,
    );
    let version: string | undefined;
    try {
      version = await takeInitialEvents(session, list);
    } catch (error) {
      if (!(error instanceof IdleWatchError) && !isRefusal(error)) throw error;
    } finally {
      if (version === undefined) session.close();
    }
    if (version === undefined) return undefined;
    list.commit(version);
    if (!this.#options.client.inProcess) session.idleTimeout = idleTimeout;
    return { session, version };
  }

  /** Everything, in pages; returns the version it is of. `begin` may be called twice. */
  async pageList(begin: () => ListSink<T>): Promise<string> {
    try {
      return await this.#pages(begin(), this.#options.pageSize);
    } catch (error) {
      // The snapshot the pages are cut from expired on the way: take it in one piece.
      if (!isGone(error)) throw error;
      return this.#pages(begin(), undefined);
    }
  }

  async #pages(list: ListSink<T>, limit: number | undefined): Promise<string> {
    const { client, resource, selection, decode } = this.#options;
    const options: ListOptions = { ...selection, decode, limit, timeout: listTimeout, signal: this.#signal };
    let asked: Promise<KubeList<T>> | undefined = client.list(resource, options);
    let version = "";
    while (asked) {
      const page: KubeList<T> = await asked;
      const next: string | undefined = page.metadata.continue;
      // The server makes the next page while this one is taken in.
      asked = next ? client.list(resource, { ...options, continue: next }) : undefined;
      for (const object of page.items) list.put(object);
      version = page.metadata.resourceVersion ?? version;
    }
    list.commit(version);
    return version;
  }

  #open(how: WatchOptions, idleTimeout: number): WatchSession<T> {
    const { client, resource, selection, decode, clock, random } = this.#options;
    const { inProcess } = client;
    const events = client.watch(resource, {
      ...selection,
      ...how,
      decode,
      allowWatchBookmarks: true,
      timeoutSeconds: inProcess ? inProcessSeconds : Math.round(watchSeconds * (1 + random())),
      idleTimeout: 0,
      signal: this.#signal,
    });
    return new WatchSession(events, {
      clock,
      signal: this.#signal,
      idleTimeout: inProcess ? Number.POSITIVE_INFINITY : idleTimeout,
    });
  }
}

/** The version at which the initial events end; undefined when the stream ends, or goes on for too long, without. */
async function takeInitialEvents<T extends KubeObject>(
  session: WatchSession<T>,
  list: ListSink<T>,
): Promise<string | undefined> {
  for (let event = await session.next(); event; event = session.nextNow() ?? (await session.next())) {
    if (event.type === "DELETED") list.delete(event.object);
    else if (event.type !== "BOOKMARK") list.put(event.object);
    else if (endsInitialEvents(event)) return versionOf(event);
    if (session.age > listTimeout) return undefined;
  }
  return undefined;
}

function endsInitialEvents({ object }: WatchEvent<KubeObject>): boolean {
  return object.metadata?.annotations?.["k8s.io/initial-events-end"] === "true";
}

/** The server does not know, or not allow, this way of asking. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && [400, 405, 406, 415, 422].includes(error.code);
}

/** The version of an event. Objects come from outside and may lack what they should have. */
export function versionOf({ object }: WatchEvent<KubeObject | undefined | null>): string | undefined {
  const version = object?.metadata?.resourceVersion;
  return typeof version === "string" && version !== "" ? version : undefined;
}
