// Metrics of stored objects, computed when they are scraped, so that writes pay nothing for them.

import { type Storage, sizeOfJson } from "../storage/index.js";
import { labelText, metricText, type Sample } from "./exposition.js";
import type { ServedResources } from "./served-resources.js";

/** The size of all objects of a resource is estimated from this many of them. */
const sampled = 20;

interface Stored {
  readonly group: string;
  readonly resource: string;
  readonly objects: number;
  readonly changes: number;
  readonly bytes: number;
}

const counted =
  "Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.";

/** The metrics of stored objects by resource, in Prometheus' format, in pieces; empty pieces where more has to be counted first. */
export function* storedObjects(storage: Storage, registry: ServedResources): Iterable<string> {
  const stored: Stored[] = [];
  for (const one of storedResources(storage, registry)) {
    stored.push(one);
    yield "";
  }
  const samples = (value: (each: Stored) => number): Sample[] =>
    stored.map((each) => [labelText({ group: each.group, resource: each.resource }), value(each)]);
  const named = stored.map(({ group, resource, objects }): Sample => {
    const name = group === "" ? resource : `${resource}.${group}`;
    return [labelText({ resource: name }), objects];
  });
  yield metricText(
    "apiserver_storage_objects",
    "gauge",
    `[STABLE] (Deprecated since 1.34.0) [DEPRECATED, consider using apiserver_resource_objects instead] ${counted}`,
    named,
  );
  yield metricText(
    "apiserver_resource_objects",
    "gauge",
    `[ALPHA] ${counted}`,
    samples(({ objects }) => objects),
  );
  yield metricText(
    "apiserver_resource_size_estimate_bytes",
    "gauge",
    "[ALPHA] Estimated size of stored objects in database. Estimate is based on sum of last observed sizes of serialized objects. In case of a fetching error, the value will be -1.",
    samples(({ bytes }) => bytes),
  );
  yield metricText(
    "apiserver_storage_size_bytes",
    "gauge",
    "[STABLE] Size of the storage database file physically allocated in bytes.",
    [[labelText({ storage_cluster_id: "etcd-0" }), stored.reduce((sum, { bytes }) => sum + bytes, 0)]],
  );
  // There is one store and no cache in front of it, so that both get the same changes at the same time.
  const changes = samples((each) => each.changes);
  for (const [name, help] of changeCounters) yield metricText(name, "counter", help, changes);
  yield metricText(
    "apiserver_watch_cache_resource_version",
    "gauge",
    "[ALPHA] Current resource version of watch cache broken by resource type. This is truncated to the 15 least significant digits.",
    samples(() => storage.revision % 1e15),
  );
}

const changeCounters = [
  ["apiserver_storage_events_received_total", "[BETA] Number of etcd events received split by kind."],
  [
    "apiserver_watch_cache_events_received_total",
    "[ALPHA] Counter of events received in watch cache broken by resource type.",
  ],
  [
    "apiserver_watch_cache_events_dispatched_total",
    "[ALPHA] Counter of events dispatched in watch cache broken by resource type.",
  ],
] as const;

function* storedResources(storage: Storage, registry: ServedResources): Iterable<Stored> {
  const counts = new Map([...storage.counts()].map(([table, ...rest]) => [table, rest]));
  const found = new Set<string>();
  for (const { group, plural, storage: table } of registry.all()) {
    const [objects, changes] = counts.get(table) ?? [];
    const key = `${plural}.${group}`;
    if (objects === undefined || changes === undefined || found.has(key)) continue;
    found.add(key);
    const bytes = Math.round(objects * averageSize(storage, table));
    yield { group, resource: plural, objects, changes, bytes };
  }
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
