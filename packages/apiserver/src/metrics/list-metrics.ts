// Metrics of lists: objects read and objects returned. The one store, in memory, counts as kube-apiserver's watch cache.
import { labelText, metricText, type Sample } from "./exposition.js";

interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

interface Lists {
  requests: number;
  fetched: number;
  returned: number;
}

const prefix = "apiserver_cache_list";

export class ListMetrics {
  readonly #lists = new Map<string, Lists>();

  /** A list was read. */
  listed({ group, plural }: GroupResource, fetched: number, returned: number): void {
    const key = `${plural}.${group}`;
    let lists = this.#lists.get(key);
    if (!lists) {
      lists = { requests: 0, fetched: 0, returned: 0 };
      this.#lists.set(key, lists);
    }
    lists.requests++;
    lists.fetched += fetched;
    lists.returned += returned;
  }

  /** Forgets resources that are no longer served, in any version. */
  forget(served: Iterable<GroupResource>): void {
    const names = new Set([...served].map(({ group, plural }) => `${plural}.${group}`));
    for (const key of this.#lists.keys()) if (!names.has(key)) this.#lists.delete(key);
  }

  text(): string {
    const samples = (more: Readonly<Record<string, string>>, value: (lists: Lists) => number): Sample[] =>
      [...this.#lists].map(([key, lists]) => {
        const dot = key.indexOf(".");
        const labels = { group: key.slice(dot + 1), ...more, resource: key.slice(0, dot) };
        return [labelText(labels), value(lists)];
      });
    const index = { index: "" };
    return [
      metricText(
        `${prefix}_total`,
        "counter",
        "[ALPHA] Number of LIST requests served from watch cache",
        samples(index, ({ requests }) => requests),
      ),
      metricText(
        `${prefix}_fetched_objects_total`,
        "counter",
        "[ALPHA] Number of objects read from watch cache in the course of serving a LIST request",
        samples(index, ({ fetched }) => fetched),
      ),
      metricText(
        `${prefix}_returned_objects_total`,
        "counter",
        "[ALPHA] Number of objects returned for a LIST request from watch cache",
        samples({}, ({ returned }) => returned),
      ),
    ].join("");
  }
}
