// Opens a watch and turns its answer into typed events, whatever carried them.
import type { ResourceDescriptor, ResponseBody, WatchEvent } from "@kubewright/api";
import { type Call, type CallContext, open } from "./call.js";
import { ConnectionError } from "./connection-error.js";
import { checkEvent, EventStream, type EventStreamOptions } from "./event-stream.js";
import { trusted } from "./result.js";
import { isMetadata, viewed } from "./view.js";

/** What a watch needs to know besides the call. */
export interface WatchCall<T> extends Call {
  readonly resource: ResourceDescriptor<T, unknown>;
  readonly idleTimeout?: number | undefined;
}

/** The events of a watch. */
export interface WatchIterator<T> extends AsyncIterableIterator<WatchEvent<T>, undefined> {
  /** The next event if it has come already; waiting for each of many that came together costs more than they do. */
  nextNow?(): WatchEvent<T> | undefined;
}

interface Events extends AsyncIterator<WatchEvent<unknown>, unknown> {
  nextNow?(): WatchEvent<unknown> | undefined;
}

/** Events until the server ends the watch. The request is sent when the first is asked for. */
export class Watch<T> implements WatchIterator<T> {
  readonly #context: CallContext;
  readonly #call: WatchCall<T>;
  #events: Promise<Events> | undefined;
  /** Once they have begun. */
  #opened: Events | undefined;
  #release: (() => void) | undefined;
  #ended = false;

  constructor(context: CallContext, call: WatchCall<T>) {
    this.#context = context;
    this.#call = call;
  }

  async next(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    if (this.#ended) return { value: undefined, done: true };
    try {
      this.#events ??= this.#open();
      const { value, done } = await (await this.#events).next();
      if (!done) return { value: this.#typed(value), done: false };
      this.#end();
      return { value: undefined, done: true };
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  nextNow(): WatchEvent<T> | undefined {
    const event = this.#ended ? undefined : this.#opened?.nextNow?.();
    return event && this.#typed(event);
  }

  async return(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    this.#end();
    const events = await this.#events?.catch(() => undefined);
    await events?.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #open(): Promise<Events> {
    const { response, release } = await open(this.#context, this.#call);
    this.#release = release;
    const { what, idleTimeout, signal, decode } = this.#call;
    const { clock } = this.#context;
    this.#opened = eventsOf(response.body, { what, idleTimeout, signal, decode, clock });
    return this.#opened;
  }

  #end(): void {
    this.#ended = true;
    this.#release?.();
  }

  #typed(event: WatchEvent<unknown>): WatchEvent<T> {
    const { resource } = this.#call;
    if (!isMetadata(resource)) return trusted<WatchEvent<T>>(event);
    return trusted<WatchEvent<T>>({ type: event.type, object: viewed(resource, event.object) });
  }
}

function eventsOf(body: ResponseBody, options: EventStreamOptions): Events {
  switch (body.kind) {
    case "events":
      return checked(body.events[Symbol.asyncIterator](), options.what);
    case "stream":
      return new EventStream(body.chunks, options);
    case "bytes":
      return new EventStream(once(body.bytes), options);
    default:
      throw new ConnectionError(`${options.what}: the answer is not a stream of events`, "malformed");
  }
}

function checked(
  events: AsyncIterator<WatchEvent<unknown>, unknown>,
  what: string,
): AsyncIterator<WatchEvent<unknown>, unknown> {
  return {
    async next() {
      const result = await events.next();
      return result.done ? result : { value: checkEvent(what, result.value), done: false };
    },
    async return() {
      await events.return?.();
      return { value: undefined, done: true };
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
