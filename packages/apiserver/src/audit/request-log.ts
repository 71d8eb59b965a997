// The request log: a bounded ring of the requests answered last, with listeners for new ones.
import type { RequestInfo } from "../request/request-info.js";

/** One request and its answer. */
export interface RequestLogEntry {
  /** When it came, in milliseconds since 1970. */
  readonly time: number;
  readonly method: string;
  readonly path: string;
  readonly info: RequestInfo;
  /** Absent where the request is not authenticated. */
  readonly user: string | undefined;
  readonly userAgent: string | undefined;
  readonly status: number;
  /** Milliseconds until the answer, or its beginning where it is long. */
  readonly duration: number;
}

/** The latest requests, kept in memory. */
export class RequestLog {
  readonly #size: number;
  readonly #entries: RequestLogEntry[] = [];
  #next = 0;
  readonly #listeners = new Set<(entry: RequestLogEntry) => void>();

  /** Keeps that many. */
  constructor(size = 1000) {
    this.#size = size;
  }

  add(entry: RequestLogEntry): void {
    this.#entries[this.#next] = entry;
    this.#next = (this.#next + 1) % this.#size;
    for (const listener of this.#listeners) listener(entry);
  }

  /** Oldest first. */
  entries(): readonly RequestLogEntry[] {
    if (this.#entries.length < this.#size) return [...this.#entries];
    return [...this.#entries.slice(this.#next), ...this.#entries.slice(0, this.#next)];
  }

  /** Calls back for each from now on, until the returned function is called. */
  subscribe(listener: (entry: RequestLogEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
