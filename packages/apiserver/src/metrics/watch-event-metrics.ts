// Metrics of watch events: counts and sizes.
import { labelText, metricPieces, type Sample } from "./exposition.js";
import { Histogram } from "./histogram.js";

interface GroupVersionPlural {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** Upper bounds in bytes, those of kube-apiserver. */
const sizeBounds = Array.from({ length: 8 }, (_, index) => 1024 * 2 ** index);

/** The events of a kind. Events written to a connection have a size; events delivered within the process have none. */
export class WatchEventCount {
  sent = 0;
  readonly sizes = new Histogram(sizeBounds);
}

export class WatchEventMetrics {
  readonly #counts = new Map<string, WatchEventCount>();
  readonly #kinds = new Map<string, GroupVersionPlural>();

  /** The counter of watch events of a kind. */
  of({ group, version, plural }: GroupVersionPlural): WatchEventCount {
    const labels = labelText({ group, resource: plural, version });
    let count = this.#counts.get(labels);
    if (!count) {
      count = new WatchEventCount();
      this.#counts.set(labels, count);
      this.#kinds.set(labels, { group, version, plural });
    }
    return count;
  }

  /** Forgets kinds that are no longer served. */
  forget(isServed: (kind: GroupVersionPlural) => boolean): void {
    for (const [labels, kind] of this.#kinds) {
      if (isServed(kind)) continue;
      this.#kinds.delete(labels);
      this.#counts.delete(labels);
    }
  }

  *pieces(): Iterable<string> {
    yield* metricPieces(
      "apiserver_watch_events_total",
      "counter",
      "[ALPHA] Number of events sent in watch clients",
      this.#totals(),
    );
    yield* metricPieces(
      "apiserver_watch_events_sizes",
      "histogram",
      "[ALPHA] Watch event size distribution in bytes",
      this.#sizes(),
    );
  }

  *#totals(): Iterable<Sample> {
    for (const [labels, { sent }] of this.#counts) if (sent > 0) yield [labels, sent];
  }

  *#sizes(): Iterable<Sample> {
    for (const [labels, { sizes }] of this.#counts) yield* sizes.samples(labels);
  }
}
