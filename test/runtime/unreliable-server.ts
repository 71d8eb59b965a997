// An embedded API server in virtual time, and a line to it that can be cut, silenced and made to fail.
import {
  CustomResourceDefinition,
  type KubeObject,
  type ResourceDescriptor,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  VirtualClock,
  type WatchEvent,
} from "@kubewright/api";
import { type ApiServer, createApiServer, MemoryStorage, type UserInfo } from "@kubewright/apiserver";
import { Client, ConnectionError } from "@kubewright/client";
import { Informer, type InformerOptions } from "@kubewright/runtime";
import { expect } from "vitest";

/** What stands between a client and the server. */
export class Line {
  /** Answers in place of the server; undefined lets the request through. */
  fault: ((request: TransportRequest) => TransportResponse | undefined) | undefined;
  isCut = false;
  /** Open watches hear nothing any more, and do not notice. */
  isMute = false;
  /** What becomes of events on the way. */
  garble: ((event: WatchEvent<unknown>) => WatchEvent<unknown>) | undefined;
  requests = 0;
  readonly #watches = new Set<(error: Error) => void>();
  #to: Transport;

  constructor(to: Transport) {
    this.#to = to;
  }

  /** Watches open at the moment. */
  get watches(): number {
    return this.#watches.size;
  }

  readonly transport: Transport = async (request) => {
    this.requests++;
    if (this.isCut) throw new ConnectionError("connect ECONNREFUSED", "refused");
    const answer = this.fault?.(request) ?? (await this.#to(request));
    if (answer.body.kind !== "events") return answer;
    return { ...answer, body: { kind: "events", events: this.#carried(answer.body.events) } };
  };

  /** Breaks open watches, as a lost connection does. */
  disconnect(): void {
    for (const end of [...this.#watches]) end(new ConnectionError("read ECONNRESET", "closed"));
  }

  cut(): void {
    this.isCut = true;
    this.disconnect();
  }

  /** Leads to another server, or to the same again. */
  mend(to = this.#to): void {
    this.#to = to;
    this.isCut = false;
  }

  #carried(events: AsyncIterable<WatchEvent<unknown>>): AsyncIterable<WatchEvent<unknown>> {
    const source = events[Symbol.asyncIterator]();
    let breakOff: (error: Error) => void = () => undefined;
    const broken = new Promise<never>((_resolve, reject) => {
      breakOff = reject;
    });
    broken.catch(() => undefined);
    this.#watches.add(breakOff);
    const next = async (): Promise<IteratorResult<WatchEvent<unknown>>> => {
      const result = await Promise.race([source.next(), broken]);
      if (this.isMute) return broken;
      return result.done || !this.garble ? result : { value: this.garble(result.value), done: false };
    };
    const close = async (): Promise<IteratorResult<WatchEvent<unknown>>> => {
      this.#watches.delete(breakOff);
      await source.return?.();
      return { value: undefined, done: true };
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: close }) };
  }
}

/** A server whose state can outlive it. */
export class World {
  readonly clock = new VirtualClock();
  storage = new MemoryStorage({ clock: this.clock });
  server: ApiServer;
  /** Of the administrator, never disturbed. */
  admin: Client;
  readonly informers: { close(): Promise<void> }[] = [];
  readonly #lines: Line[] = [];
  #uids = 0;
  #seed = 1;

  constructor() {
    this.server = this.#newServer();
    this.admin = new Client({ transport: this.server.transport(), clock: this.clock });
  }

  line(user?: UserInfo): Line {
    const line = new Line(this.server.transport(user));
    this.#lines.push(line);
    return line;
  }

  /** Ends everything, and fails if something is left. */
  async end(): Promise<void> {
    for (const informer of this.informers) await informer.close();
    for (const line of this.#lines) expect(line.watches, "watches left open").toBe(0);
    this.server.close();
    expect(this.clock.inFlight, "work left behind").toEqual([]);
    expect(this.clock.pending, "timers left behind").toBe(0);
  }

  /** Another server takes over: with the same state, or with what its storage holds. */
  restart(storage = this.storage): void {
    this.server.close();
    this.storage = storage;
    this.server = this.#newServer();
    this.admin = new Client({ transport: this.server.transport(), clock: this.clock });
  }

  #newServer(): ApiServer {
    return createApiServer({
      storage: this.storage,
      clock: this.clock,
      newUid: () => `00000000-0000-4000-8000-${String(++this.#uids).padStart(12, "0")}`,
      random: () => this.#random(),
    });
  }

  /** The same numbers every time. */
  #random(): number {
    this.#seed = (this.#seed * 48271) % 2147483647;
    return this.#seed / 2147483647;
  }

  async define(definition: { crd(): CustomResourceDefinition }): Promise<void> {
    await this.admin.create(CustomResourceDefinition, definition.crd());
    await this.clock.advance(1_000);
  }
}

export interface Followed<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly errors: unknown[];
  /** Every change told, in words. */
  readonly told: string[];
  /** Fails unless the cache, and what listeners know, is what the server has. */
  inStep(): Promise<void>;
}

/** Follows a kind over a line, until the world ends. */
export async function follow<T extends KubeObject>(
  world: World,
  line: Line,
  resource: ResourceDescriptor<T, unknown>,
  options: Partial<InformerOptions<T>> = {},
): Promise<Followed<T>> {
  const { clock } = world;
  const errors: unknown[] = [];
  const told: string[] = [];
  const known = new Map<string, T>();
  const informer = new Informer<T>({
    client: new Client({ transport: line.transport, clock }),
    resource,
    clock,
    random: () => 0.5,
    pageSize: 3,
    freeze: true,
    onError: (error) => errors.push(error),
    ...options,
  });
  informer.onChange(({ key, previous, current }) => {
    expect.soft(version(previous), `${key} goes on from where it was`).toBe(version(known.get(key)));
    told.push(`${previous ? (current ? "changed" : "deleted") : "added"} ${key}`);
    if (current) known.set(key, current);
    else known.delete(key);
  });
  world.informers.push(informer);
  informer.start();
  await clock.settle();
  const inStep = async (): Promise<void> => {
    const { items } = await world.admin.list(resource);
    const truth = Object.fromEntries(items.map((object) => [keyOf(object), version(object)]));
    expect(versions(informer.store.entries())).toEqual(truth);
    expect(versions(known.entries())).toEqual(truth);
  };
  return { informer, errors, told, inStep };
}

const version = (object: KubeObject | undefined) => object?.metadata?.resourceVersion;

const keyOf = ({ metadata }: KubeObject) =>
  metadata?.namespace ? `${metadata.namespace}/${metadata.name}` : metadata?.name;

function versions(entries: Iterable<[string, KubeObject]>): Record<string, string | undefined> {
  return Object.fromEntries([...entries].map(([key, object]) => [key, version(object)]));
}

/** A failure as a server answers it. */
export function failure(code: number, reason: string, details: object = {}): TransportResponse {
  const value = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message: reason,
    details,
  };
  return { status: code, headers: {}, body: { kind: "object", value } };
}
