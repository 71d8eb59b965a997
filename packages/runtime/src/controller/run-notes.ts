// The visible effects of a reconcile: kept while it runs, for its record in the timeline.
import type { KubeObject } from "@kubewright/api";
import { keyOf } from "../informer/object-key.js";
import type { AnyResource } from "./kinds.js";
import type { EventInput } from "./reconcile-context.js";

/** One write of a reconcile. */
export interface WriteRecord {
  readonly verb: "apply" | "create" | "patch" | "delete" | "status";
  readonly kind: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  /** The version it led to; undefined for deletions and failures. */
  readonly resourceVersion: string | undefined;
  /** Why it failed; undefined when it did not. */
  readonly error: string | undefined;
}

const most = 50;
const none: readonly never[] = [];

export class RunNotes {
  #writes: WriteRecord[] | undefined;
  #events: EventInput[] | undefined;

  /** The first fifty. */
  get writes(): readonly WriteRecord[] {
    return this.#writes ?? none;
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
    try {
      const result = await work;
      const object = written(result);
      if (object) this.#add({ verb, kind, key: nameOf(object, key), ...versionOf(object), error: undefined });
      return result;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#add({ verb, kind, key, resourceVersion: undefined, error: message });
      throw error;
    }
  }

  event(event: EventInput): void {
    this.#events ??= [];
    if (this.#events.length < most) this.#events.push(event);
  }

  #add(record: WriteRecord): void {
    this.#writes ??= [];
    if (this.#writes.length < most) this.#writes.push(record);
  }
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
