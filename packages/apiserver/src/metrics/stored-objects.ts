// How much is stored, worked out when someone looks: writing pays nothing for it.
import type { Registry } from "../registry/registry.js";
import { type Storage, sizeOfJson } from "../storage/index.js";
import { labelText, metricText, type Sample } from "./exposition.js";

/** So many objects of a resource tell how large all of them are. */
const sampled = 20;

interface Stored {
  readonly group: string;
  readonly resource: string;
  readonly objects: number;
  readonly changes: number;
  readonly bytes: number;
}

/** What is stored of each resource, in Prometheus' format. */
export function storedObjects(storage: Storage, registry: Registry): string {
  const stored = storedResources(storage, registry);
  const samples = (value: (each: Stored) => number): Sample[] =>
    stored.map((each) => [labelText({ group: each.group, resource: each.resource }), value(each)]);
  const named = stored.map(({ group, resource, objects }): Sample => {
    const name = group === "" ? resource : `${resource}.${group}`;
    return [labelText({ resource: name }), objects];
  });
  const total = stored.reduce((sum, { bytes }) => sum + bytes, 0);
  // There is one store and no cache in front of it, so that both hear of the same changes at the same time.
  return [
    metricText("apiserver_storage_objects", "gauge", "Objects by resource.", named),
    metricText(
      "apiserver_resource_objects",
      "gauge",
      "Objects by resource.",
      samples(({ objects }) => objects),
    ),
    metricText(
      "apiserver_resource_size_estimate_bytes",
      "gauge",
      "About how many bytes the objects of a resource take.",
      samples(({ bytes }) => bytes),
    ),
    metricText("apiserver_storage_size_bytes", "gauge", "About how many bytes all objects take.", [
      [labelText({ storage_cluster_id: "etcd-0" }), total],
    ]),
    ...[
      "apiserver_storage_events_received_total",
      "apiserver_watch_cache_events_received_total",
      "apiserver_watch_cache_events_dispatched_total",
    ].map((name) =>
      metricText(
        name,
        "counter",
        "Changes by resource.",
        samples(({ changes }) => changes),
      ),
    ),
    metricText(
      "apiserver_watch_cache_resource_version",
      "gauge",
      "The newest version that is known.",
      samples(() => storage.revision),
    ),
  ].join("");
}

function storedResources(storage: Storage, registry: Registry): Stored[] {
  const counts = new Map([...storage.counts()].map(([table, ...rest]) => [table, rest]));
  const found = new Map<string, Stored>();
  for (const { group, plural, storage: table } of registry.all()) {
    const [objects, changes] = counts.get(table) ?? [];
    const key = `${plural}.${group}`;
    if (objects === undefined || changes === undefined || found.has(key)) continue;
    const bytes = Math.round(objects * averageSize(storage, table));
    found.set(key, { group, resource: plural, objects, changes, bytes });
  }
  return [...found.values()];
}

function averageSize(storage: Storage, table: string): number {
  let bytes = 0;
  let seen = 0;
  for (const object of storage.list(table, { prefix: "" })) {
    bytes += sizeOfJson(object);
    if (++seen === sampled) break;
  }
  return seen === 0 ? 0 : bytes / seen;
}
