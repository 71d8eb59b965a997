// Faults on purpose: every request of every client passes here, in process or over a socket, and some can be made to fail.
//
// Guarantees
// - Nothing fails by default; without faults a request costs one look at an empty list.
// - A fault is used up exactly `times` times, in the order requests arrive.
// - The cluster's own components are left alone unless a filter names their client.
import {
  type Clock,
  sleep,
  type TransportRequest,
  type TransportResponse,
  type WatchEvent,
} from "@kubewright/api";
import type { Peer } from "@kubewright/apiserver";
import { ControlledWatch, type Delay, type Hold } from "./controlled-watch.js";
import { type Failing, type Failure, failing } from "./failure.js";
import { attributesOf, isWatch, type RequestAttributes } from "./request-attributes.js";
import { matcherOf, type RequestMatch } from "./request-filter.js";

/** The choice among matching requests that fail. */
export interface FailOptions {
  /** The first to fail, counting from 1. Default: the first that matches. */
  readonly nth?: number | undefined;
  /** How many fail in a row. Default: one. */
  readonly times?: number | undefined;
}

/** A fault that was set: how often it struck, and a way to remove it. */
export interface Fault {
  /** How many requests matched so far. */
  readonly matched: number;
  /** How many of them were made to fail. */
  readonly failed: number;
  /** Takes the fault away. */
  remove(): void;
}

/** The requests and watches that are open, by client, for tests that look for leaks. */
export interface OpenTraffic {
  readonly requests: readonly RequestAttributes[];
  readonly watches: readonly RequestAttributes[];
}

type Handle = (request: TransportRequest, peer: Peer) => Promise<TransportResponse>;

interface Rule {
  readonly matches: (request: RequestAttributes) => boolean;
  readonly failure: Failure;
  /** Ends what hangs. */
  readonly removed: AbortController;
  readonly first: number;
  readonly times: number;
  matched: number;
  failed: number;
}

interface HoldRule extends Hold {
  readonly matches: (request: RequestAttributes) => boolean;
  end(): void;
}

interface DelayRule extends Delay {
  readonly matches: (request: RequestAttributes) => boolean;
  end(): void;
}

/** Makes requests fail, hang or get lost, and breaks watches. */
export class Faults {
  readonly #clock: Clock;
  readonly #rules = new Set<Rule>();
  readonly #holds = new Set<HoldRule>();
  readonly #delays = new Set<DelayRule>();
  readonly #watches = new Set<ControlledWatch>();
  readonly #requests = new Set<{
    readonly request: TransportRequest;
    readonly peer: Peer;
    readonly isOwn: boolean;
  }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Makes matching requests fail.
   *
   * @example cluster.faults.fail({ verb: "update", resource: "deployments/status" }, "conflict", { nth: 2 });
   */
  fail(match: RequestMatch, failure: Failure, options: FailOptions = {}): Fault {
    const { nth = 1, times = 1 } = options;
    if (!(nth >= 1) || !(times >= 1)) throw new RangeError("a fault needs nth and times of 1 or more");
    const removed = new AbortController();
    const rule: Rule = {
      matches: matcherOf(match),
      failure,
      removed,
      first: nth,
      times,
      matched: 0,
      failed: 0,
    };
    this.#rules.add(rule);
    return {
      get matched() {
        return rule.matched;
      },
      get failed() {
        return rule.failed;
      },
      remove: () => this.#remove(rule),
    };
  }

  /** Ends open watches, as a server that restarts does; clients resume. Returns how many. */
  cutWatches(match: RequestMatch = {}): number {
    return this.#each(match, (watch) => watch.cut());
  }

  /** Ends open watches with 410, so that clients have to list again. Returns how many. */
  expireWatches(match: RequestMatch = {}): number {
    return this.#each(match, (watch) => watch.expire());
  }

  /**
   * Keeps events back from open and new watches, so that caches lag behind: until the returned function is called, or for a
   * time in milliseconds.
   */
  holdWatches(match: RequestMatch = {}, duration?: number): () => void {
    let release: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      release = resolve;
    });
    const stop = new AbortController();
    const end = (): void => {
      this.#holds.delete(rule);
      stop.abort();
      release();
    };
    const rule: HoldRule = { over, matches: matcherOf(match), end };
    this.#holds.add(rule);
    for (const watch of this.#watches) if (rule.matches(watch.request)) watch.hold(rule);
    if (duration !== undefined) sleep(this.#clock, duration, stop.signal).then(end, () => undefined);
    return end;
  }

  /**
   * Lets open and new watches see each event that many milliseconds after it happened, in order, until the returned function is
   * called; what is under way then is seen at once. Lists are as fresh as ever.
   *
   * @example cluster.faults.delayWatches({ client: "shop-operator", resource: "pods" }, 30_000);
   */
  delayWatches(match: RequestMatch, by: number): () => void {
    if (!(by > 0)) throw new RangeError("events can be delayed by more than 0 ms only");
    const stop = new AbortController();
    const rule: DelayRule = {
      matches: matcherOf(match),
      until: async (time) => {
        const left = time + by - this.#clock.now();
        if (left > 0 && !stop.signal.aborted)
          await sleep(this.#clock, left, stop.signal).catch(() => undefined);
      },
      end: () => {
        this.#delays.delete(rule);
        for (const watch of this.#watches) watch.speedUp(rule);
        stop.abort();
      },
    };
    this.#delays.add(rule);
    for (const watch of this.#watches) if (rule.matches(watch.request)) watch.slowDown(rule);
    return rule.end;
  }

  /** Takes every fault away. */
  clear(): void {
    for (const rule of this.#rules) this.#remove(rule);
    for (const hold of [...this.#holds]) hold.end();
    for (const delay of [...this.#delays]) delay.end();
  }

  /** The open requests and watches of clients, without the cluster's own components. */
  get open(): OpenTraffic {
    return {
      requests: [...this.#requests]
        .filter(({ isOwn }) => !isOwn)
        .map(({ request, peer, isOwn }) => attributesOf(request, peer, isOwn)),
      watches: [...this.#watches].map(({ request }) => request).filter(({ isOwn }) => !isOwn),
    };
  }

  /** The request function behind the faults. */
  handler(next: Handle, { isOwn }: { readonly isOwn: boolean }): Handle {
    return async (request, peer) => {
      const entry = { request, peer, isOwn };
      this.#requests.add(entry);
      try {
        const rule = this.#rules.size === 0 ? undefined : this.#ruleFor(attributesOf(request, peer, isOwn));
        const response = await (rule
          ? failing(this.#failingBy(rule), request, () => next(request, peer))
          : next(request, peer));
        return response.body.kind === "events" && isWatch(request)
          ? this.#controlled(response, response.body.events, attributesOf(request, peer, isOwn))
          : response;
      } finally {
        this.#requests.delete(entry);
      }
    };
  }

  #remove(rule: Rule): void {
    this.#rules.delete(rule);
    rule.removed.abort();
  }

  #failingBy({ failure, removed }: Rule): Failing {
    return { failure, removed: removed.signal, clock: this.#clock };
  }

  /** The rule whose turn it is; all that match count the request. */
  #ruleFor(request: RequestAttributes): Rule | undefined {
    let found: Rule | undefined;
    for (const rule of this.#rules) {
      if (!rule.matches(request)) continue;
      rule.matched++;
      if (found || rule.matched < rule.first || rule.failed >= rule.times) continue;
      rule.failed++;
      found = rule;
    }
    return found;
  }

  #controlled(
    response: TransportResponse,
    events: AsyncIterable<WatchEvent<unknown>>,
    request: RequestAttributes,
  ): TransportResponse {
    const watch: ControlledWatch = new ControlledWatch(
      request,
      events[Symbol.asyncIterator](),
      this.#clock,
      () => this.#watches.delete(watch),
    );
    this.#watches.add(watch);
    for (const hold of this.#holds) if (hold.matches(request)) watch.hold(hold);
    for (const delay of this.#delays) if (delay.matches(request)) watch.slowDown(delay);
    return { ...response, body: { kind: "events", events: watch } };
  }

  #each(match: RequestMatch, act: (watch: ControlledWatch) => void): number {
    const matches = matcherOf(match);
    const chosen = [...this.#watches].filter(({ request }) => matches(request));
    for (const watch of chosen) act(watch);
    return chosen.length;
  }
}
