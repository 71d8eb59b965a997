// Opens a watch and turns its answer into typed events, whatever carried them.
import type { ResourceDescriptor, ResponseBody, WatchEvent } from "@kubewright/api";
import { type Call, type CallContext, open } from "./call.js";
import { ConnectionError } from "./connection-error.js";
import { checkEvent, EventStream, type EventStreamOptions } from "./event-stream.js";
import { trusted } from "./result.js";
import { isMetadata, viewed } from "./view.js";

/** The options of a watch besides those of the call. */
export interface WatchCall<T> extends Call {
  readonly resource: ResourceDescriptor<T, unknown>;
  readonly idleTimeout?: number | undefined;
}

/** The events of a watch, one after the other, until the server ends it or the loop is left. */
export interface WatchIterator<T> extends AsyncIterableIterator<WatchEvent<T>, undefined> {
  /** The next event if it has come already; waiting for each of many that came together costs more than they do. */
  nextNow?(): WatchEvent<T> | undefined;
}

const over: IteratorReturnResult<undefined> = { value: undefined, done: true };

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
    if (this.#ended) return over;
    try {
      this.#events ??= this.#open();
      const events = this.#opened ?? (await this.#events);
      const { value, done } = await events.next();
      if (!done) return { value: this.#typed(value), done: false };
      this.#end();
      return over;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  nextNow(): WatchEvent<T> | undefined {
    const event = this.#ended ? undefined : this.#opened?.nextNow?.();
    try {
      return event && this.#typed(event);
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    this.#end();
    const events = await this.#events?.catch(() => undefined);
    await events?.return?.();
    return over;
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

  #typed(given: WatchEvent<unknown>): WatchEvent<T> {
    const { resource, what } = this.#call;
    const event = checkEvent(what, given);
    if (!isMetadata(resource)) return trusted<WatchEvent<T>>(event);
    return trusted<WatchEvent<T>>({ type: event.type, object: viewed(resource, event.object) });
  }
}

function eventsOf(body: ResponseBody, options: EventStreamOptions): Events {
  switch (body.kind) {
    case "events":
      return body.events[Symbol.asyncIterator]();
    case "stream":
      return new EventStream(body.chunks, options);
    case "bytes":
      return new EventStream(once(body.bytes), options);
    default:
      throw new ConnectionError(`${options.what}: the answer is not a stream of events`, "malformed");
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
