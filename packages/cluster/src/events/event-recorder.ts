// The event recorder: reports what happened as Events beside the objects they are about. Recording never fails and never waits: what
// cannot be written is dropped, and the same event again becomes a count.
import {
  apiVersionOf,
  type Clock,
  type Event,
  Event as EventKind,
  formatTime,
  isNotFound,
  type KubeObject,
  type ResourceDescriptor,
} from "@kubewright/api";
import type { Client } from "@kubewright/client";

/** An event that repeats within this many others becomes a count. */
const remembered = 4096;

interface Occurrence {
  readonly name: string;
  readonly namespace: string;
  readonly since: string;
  count: number;
}

interface QueuedEvent {
  readonly client: Client;
  readonly identity: string;
  readonly event: Event;
}

/** Writes the events of a whole cluster, in the order they were recorded. */
export class EventWriter {
  readonly #clock: Clock;
  readonly #known = new Map<string, Occurrence>();
  /** Recorded events that are not yet written. */
  readonly #waiting: QueuedEvent[] = [];
  #writing: Promise<void> | undefined;
  #serial = 0;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A recorder that writes events of a component with its client. */
  recorder(client: Client, component: string, host?: string): EventRecorder {
    return new EventRecorder({ writer: this, client, component, host });
  }

  write(client: Client, identity: string, event: Event): void {
    if (this.#isClosed) return;
    this.#waiting.push({ client, identity, event });
    this.#writing ??= this.#writeAll();
  }

  /** Drops what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    const done = this.#clock.busy("events");
    // Telling must not wait, not even for the request to be made.
    await Promise.resolve();
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { client, identity, event } = next;
      const known = this.#known.get(identity);
      try {
        await (known ? this.#repeat(client, known, event) : this.#begin(client, identity, event));
      } catch {
        // An event that cannot be written is dropped.
      }
    }
    this.#writing = undefined;
    done();
  }

  async #begin(client: Client, identity: string, event: Event): Promise<void> {
    const now = this.#clock.now();
    const suffix = (BigInt(Math.trunc(now)) * 1_000_000n + BigInt(++this.#serial)).toString(16);
    const occurrence = {
      name: `${event.involvedObject.name}.${suffix}`,
      namespace: event.involvedObject.namespace ?? "default",
      since: formatTime(now),
      count: 1,
    };
    this.#remember(identity, occurrence);
    await this.#create(client, occurrence, event);
  }

  async #create(client: Client, { name, namespace, since, count }: Occurrence, event: Event): Promise<void> {
    await client.create(EventKind, {
      ...event,
      metadata: { name, namespace },
      firstTimestamp: since,
      lastTimestamp: formatTime(this.#clock.now()),
      count,
    });
  }

  async #repeat(client: Client, known: Occurrence, event: Event): Promise<void> {
    known.count += 1;
    const merge = { count: known.count, lastTimestamp: formatTime(this.#clock.now()) };
    try {
      await client.patch(EventKind, known.name, { merge }, { namespace: known.namespace });
    } catch (error) {
      // Events expire after an hour; what still happens then gets a new one.
      if (!isNotFound(error)) throw error;
      await this.#create(client, known, event);
    }
  }

  #remember(identity: string, occurrence: Occurrence): void {
    if (this.#known.size >= remembered) {
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest);
        break;
      }
    }
    this.#known.set(identity, occurrence);
  }
}

interface Speaker {
  readonly writer: EventWriter;
  readonly client: Client;
  readonly component: string;
  readonly host: string | undefined;
}

/** Speaks for one component. */
export class EventRecorder {
  readonly #speaker: Speaker;

  constructor(speaker: Speaker) {
    this.#speaker = speaker;
  }

  /** The field path says which part of the object is meant. */
  normal(
    kind: ResourceDescriptor,
    about: KubeObject,
    reason: string,
    message: string,
    fieldPath?: string,
  ): void {
    this.#record("Normal", kind, about, { reason, message, fieldPath });
  }

  warning(
    kind: ResourceDescriptor,
    about: KubeObject,
    reason: string,
    message: string,
    fieldPath?: string,
  ): void {
    this.#record("Warning", kind, about, { reason, message, fieldPath });
  }

  #record(
    type: string,
    kind: ResourceDescriptor,
    { metadata }: KubeObject,
    content: { readonly reason: string; readonly message: string; readonly fieldPath?: string | undefined },
  ): void {
    const { writer, client, component, host } = this.#speaker;
    const { reason, fieldPath } = content;
    const message = content.message.length > 1024 ? content.message.slice(0, 1024) : content.message;
    const { name, namespace, uid, resourceVersion } = metadata ?? {};
    writer.write(client, JSON.stringify([component, type, uid, reason, message, fieldPath]), {
      metadata: {},
      involvedObject: {
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        name,
        namespace,
        uid,
        resourceVersion,
        ...(fieldPath === undefined ? {} : { fieldPath }),
      },
      type,
      reason,
      message,
      source: { component, ...(host === undefined ? {} : { host }) },
      reportingComponent: component,
      reportingInstance: host ?? "",
    });
  }
}
