// The visible effects of a reconcile: kept while it runs, for its record in the timeline.
import { isNotFound, type KubeObject } from "@kubewright/api";
import { keyOf, objectKey } from "../informer/object-key.js";
import { withoutSecretContents } from "../logging/secret-contents.js";
import type { AnyResource } from "./kinds.js";
import type { EventInput } from "./reconcile-context.js";

/** When a step of a reconcile began, and how long it took; in milliseconds. */
interface Timing {
  /** After the reconcile began. */
  readonly at: number;
  readonly duration: number;
}

/** One write of a reconcile. */
export interface WriteRecord extends Timing {
  readonly verb: "apply" | "create" | "patch" | "delete" | "status";
  readonly kind: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  /** The version it led to; undefined for deletions and failures. */
  readonly resourceVersion: string | undefined;
  /** Why it failed; undefined when it did not. */
  readonly error: string | undefined;
}

/** One read of a reconcile; the same read made again is counted. */
export interface ReadRecord extends Timing {
  readonly verb: "get" | "list";
  readonly kind: string;
  /** What was asked for: `namespace/name`, the namespace and selector of a list, or the value of an index. */
  readonly target: string;
  readonly source: "cache" | "server";
  /** How often it was made. */
  readonly times: number;
  /** The number of objects found the last time, and the keys of the first ten of them. */
  readonly count: number;
  readonly found: readonly string[];
  /** Why it failed; undefined when it did not. */
  readonly error: string | undefined;
}

/** Names a read before it is made. */
export type ReadName = Pick<ReadRecord, "verb" | "target"> & { readonly resource: AnyResource };

const most = 50;
const mostFound = 10;
const none: readonly never[] = [];

export class RunNotes {
  /** Milliseconds since the reconcile began. */
  readonly #elapsed: () => number;
  #writes: WriteRecord[] | undefined;
  #reads: Map<string, ReadRecord> | undefined;
  #events: EventInput[] | undefined;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** The first fifty. */
  get writes(): readonly WriteRecord[] {
    return this.#writes ?? none;
  }

  /** The first fifty that differ. */
  get reads(): readonly ReadRecord[] {
    return this.#reads ? [...this.#reads.values()] : none;
  }

  get events(): readonly EventInput[] {
    return this.#events ?? none;
  }

  /** Notes what comes of a write. `written` gives the object it led to; undefined when nothing had to be written. */
  async write<T>(
    verb: WriteRecord["verb"],
    { kind }: AnyResource,
    key: string,
    work: Promise<T>,
    written: (result: T) => KubeObject | undefined,
  ): Promise<T> {
    const at = this.#elapsed();
    try {
      const result = await work;
      const object = written(result);
      if (object)
        this.#add({
          verb,
          kind,
          key: nameOf(object, key),
          ...versionOf(object),
          error: undefined,
          ...this.#since(at),
        });
      return result;
    } catch (error) {
      this.#add({ verb, kind, key, resourceVersion: undefined, error: messageOf(error), ...this.#since(at) });
      throw error;
    }
  }

  /** Notes a request for objects. `found` gives what came of it. */
  async read<T>(name: ReadName, work: Promise<T>, found: (result: T) => readonly KubeObject[]): Promise<T> {
    const at = this.#elapsed();
    try {
      const result = await work;
      this.#addRead(name, "server", found(result), undefined, this.#since(at));
      return result;
    } catch (error) {
      // That there is no such object is an answer.
      const failure = isNotFound(error) ? undefined : messageOf(error);
      this.#addRead(name, "server", none, failure, this.#since(at));
      throw error;
    }
  }

  /** Notes a read that a cache answered. */
  readFromCache(name: ReadName, found: readonly KubeObject[]): void {
    this.#addRead(name, "cache", found, undefined, { at: this.#elapsed(), duration: 0 });
  }

  event(event: EventInput): void {
    this.#events ??= [];
    if (this.#events.length < most) this.#events.push(event);
  }

  #since(at: number): Timing {
    return { at, duration: this.#elapsed() - at };
  }

  #add(record: WriteRecord): void {
    this.#writes ??= [];
    if (this.#writes.length < most) this.#writes.push(record);
  }

  #addRead(
    { verb, resource: { kind }, target }: ReadName,
    source: ReadRecord["source"],
    found: readonly KubeObject[],
    error: string | undefined,
    timing: Timing,
  ): void {
    this.#reads ??= new Map();
    const id = `${source} ${verb} ${kind} ${target}`;
    const known = this.#reads.get(id);
    if (!known && this.#reads.size >= most) return;
    this.#reads.set(id, {
      verb,
      kind,
      target,
      source,
      times: (known?.times ?? 0) + 1,
      count: found.length,
      found: found.slice(0, mostFound).map(objectKey),
      error,
      at: known?.at ?? timing.at,
      duration: (known?.duration ?? 0) + timing.duration,
    });
  }
}

function messageOf(error: unknown): string {
  const shown = withoutSecretContents(error);
  return shown instanceof Error ? shown.message : String(shown);
}

/** A generated name is known only afterwards. */
function nameOf({ metadata }: KubeObject, key: string): string {
  return metadata?.name === undefined ? key : keyOf(metadata.name, metadata.namespace);
}

function versionOf({ metadata }: KubeObject): Pick<WriteRecord, "resourceVersion"> {
  return { resourceVersion: metadata?.resourceVersion };
}

/** For writes whose answer is no object. */
export const answered = (): KubeObject => ({});
