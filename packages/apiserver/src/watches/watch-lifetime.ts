// The lifetime of a watch: its timeout, and the bookmarks that a quiet watch sends.
import type { OpenWatch } from "./open-watches.js";

const second = 1000;
const bookmarkInterval = 60 * second;
/** A watch that is to last for weeks is no news every minute. */
const mostBookmarks = 1000;
/** The last bookmark comes shortly before the end, so that the next watch starts from there. */
const lastBookmark = 2 * second;
const shortestDefault = 30 * 60 * second;

export interface LifetimeOptions {
  /** By the monotonic clock. */
  readonly now: number;
  /** The timeout that the client requested; 0 for the server's choice. */
  readonly timeoutSeconds: number;
  /** Uniform in [0, 1): watches without a limit of their own do not all end together. */
  random(): number;
  /** Absent for clients that want no bookmarks. */
  readonly bookmark?: (() => void) | undefined;
  close(): void;
}

export class WatchLifetime implements OpenWatch {
  readonly #options: LifetimeOptions;
  readonly #deadline: number;
  readonly #interval: number;
  #bookmark: number;

  constructor(options: LifetimeOptions) {
    this.#options = options;
    const { now, timeoutSeconds, random } = options;
    const lifetime = timeoutSeconds * second || shortestDefault * (1 + random());
    this.#deadline = now + lifetime;
    this.#interval = Math.max(bookmarkInterval, lifetime / mostBookmarks);
    this.#bookmark = this.#nextBookmark(now);
  }

  get due(): number {
    return Math.min(this.#bookmark, this.#deadline);
  }

  tick(now: number): void {
    if (now >= this.#deadline) {
      this.close();
      return;
    }
    this.#options.bookmark?.();
    this.#bookmark = this.#nextBookmark(now);
  }

  close(): void {
    this.#options.close();
  }

  /** On whole seconds, so that those of many watches fall together. */
  #nextBookmark(now: number): number {
    if (!this.#options.bookmark) return Number.POSITIVE_INFINITY;
    const last = this.#deadline - lastBookmark;
    const regular = Math.ceil((now + this.#interval) / second) * second;
    if (last <= now) return Number.POSITIVE_INFINITY;
    return Math.min(regular, last);
  }
}
