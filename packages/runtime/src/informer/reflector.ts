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
  compareResourceVersions,
  type KubeObject,
  retryAfterSeconds,
  sleep,
  type WatchEvent,
} from "@kubewright/api";
import { ConnectionError } from "@kubewright/client";
import { KindSource, type KindSourceOptions, type ListSink, versionOf } from "./kind-source.js";
import { ReconnectDelay } from "./reconnect-delay.js";
import { type ReflectorProblem, type ReflectorState, waitReason } from "./reflector-state.js";
import { IdleWatchError, type WatchSession } from "./watch-session.js";

/** Takes in what a reflector brings. */
export interface ReflectorSink<T> {
  /** Called before the list is asked for. */
  begin(): ListSink<T>;
  put(object: T): void;
  delete(object: T): void;
  /** Every event up to this version has been delivered. */
  reached(version: string): void;
}

/** The counters of a reflector. */
export interface ReflectorCounts {
  readonly lists: number;
  readonly watches: number;
  readonly events: number;
  /** Watches that were given up because nothing came. */
  readonly silences: number;
  readonly failures: number;
}

export interface ReflectorOptions<T> extends KindSourceOptions<T> {
  readonly sink: ReflectorSink<T>;
  readonly onError: (error: unknown) => void;
}

/** A watch that lasts this long works, and so does one that brings a change. */
const worksAfter = 5_000;
/** A watch that ends sooner, with nothing, is a failure: it would be opened again without end. */
const shortest = 1_000;

export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #stop = new AbortController();
  readonly #source: KindSource<T>;
  readonly #delay: ReconnectDelay;
  #running: Promise<void> | undefined;
  #state: ReflectorState = { phase: "idle" };
  #problem: ReflectorProblem | undefined;
  /** Everything up to here is in the sink; undefined when a list is needed. */
  #position: string | undefined;
  /** Until the server shows that it cannot. */
  #canStream = true;
  readonly #counts = { lists: 0, watches: 0, events: 0, silences: 0, failures: 0 };

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#source = new KindSource(options, this.#stop.signal);
    this.#delay = new ReconnectDelay(options.random);
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** The last error, until it works again. */
  get problem(): ReflectorProblem | undefined {
    return this.#problem;
  }

  get counts(): ReflectorCounts {
    return this.#counts;
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
    while (!this.#stop.signal.aborted) {
      try {
        await this.#watch(await this.#connect());
      } catch (error) {
        if (!this.#stop.signal.aborted) await this.#wait(error);
      }
    }
  }

  /** A watch from our position; without one, everything is listed first. */
  async #connect(): Promise<WatchSession<T>> {
    const { sink } = this.#options;
    if (this.#position === undefined) this.#counts.lists++;
    if (this.#position === undefined && this.#canStream) {
      this.#state = { phase: "listing", by: "stream" };
      const streamed = await this.#source.streamList(sink.begin());
      this.#canStream = streamed !== undefined;
      this.#position = streamed?.version;
      if (streamed) return streamed.session;
    }
    if (this.#position === undefined) {
      this.#state = { phase: "listing", by: "pages" };
      this.#position = await this.#source.pageList(() => sink.begin());
    }
    return this.#source.watch(this.#position);
  }

  /** Follows a watch to its end. */
  async #watch(session: WatchSession<T>): Promise<void> {
    this.#state = { phase: "watching" };
    this.#counts.watches++;
    const { clock, resource } = this.#options;
    const start = this.#position;
    const recovery = this.#problem && clock.setTimer(worksAfter, () => this.#recovered());
    try {
      for (let event = await session.next(); event; event = session.nextNow() ?? (await session.next()))
        this.#take(event);
      if (session.age < shortest && start === this.#position)
        throw new ConnectionError(`watch ${resource.kind}: the server ended it at once`, "closed");
    } catch (error) {
      if (!(error instanceof IdleWatchError)) throw error;
      this.#counts.silences++;
    } finally {
      recovery?.cancel();
      session.close();
    }
  }

  #take(event: WatchEvent<T>): void {
    const { sink } = this.#options;
    this.#counts.events++;
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
    this.#counts.failures++;
    this.#problem = { reason, message, attempt: this.#delay.attempts };
    this.#state = { phase: "waiting", problem: this.#problem, delay };
    onError(error);
    await sleep(clock, delay, this.#stop.signal).catch(() => undefined);
  }
}

/** The position leads nowhere: the server has not come that far, or what it sends from there makes no sense. */
function isLost(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.problem === "malformed";
  const causes = error instanceof ApiError ? error.details?.causes : undefined;
  return causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") ?? false;
}
