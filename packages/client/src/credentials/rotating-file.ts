// Tokens and certificates mounted into a pod are replaced while it runs. The file is read again at most once in a while,
// and when a server refuses what was read. A file that vanishes for a moment does not take the last good content with it.
import { readFile } from "node:fs/promises";
import type { Clock } from "@kubewright/api";
import { ConfigError } from "../config-error.js";

/** The content of a file that may change. */
export class RotatingFile {
  readonly path: string;
  readonly #what: string;
  readonly #clock: Clock;
  readonly #interval: number;
  #content: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<string> | undefined;

  /** `what` names the file in messages. */
  constructor(path: string, what: string, clock: Clock, interval = 60_000) {
    this.path = path;
    this.#what = what;
    this.#clock = clock;
    this.#interval = interval;
  }

  /** The content, at most `interval` old. */
  read(): Promise<string> {
    if (this.#content !== undefined && this.#clock.monotonic() - this.#readAt < this.#interval) {
      return Promise.resolve(this.#content);
    }
    this.#reading ??= this.#load().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Reads now. True when the content is not what it was. */
  async changed(): Promise<boolean> {
    const before = this.#content;
    this.#readAt = Number.NEGATIVE_INFINITY;
    return (await this.read()) !== before;
  }

  async #load(): Promise<string> {
    try {
      this.#content = await readFile(this.path, "utf8");
    } catch (cause) {
      if (this.#content === undefined) {
        throw new ConfigError(`cannot read the ${this.#what} ${this.path}`, { cause });
      }
    }
    this.#readAt = this.#clock.monotonic();
    return this.#content;
  }
}
