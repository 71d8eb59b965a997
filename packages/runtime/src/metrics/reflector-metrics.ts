// Metrics of the caches and their reflectors, by kind.
import type { KubeObject } from "@kubewright/api";
import type { Informer } from "../informer/informer.js";
import type { ReflectorCounts } from "../informer/reflector.js";
import { collected, type MetricFamily } from "./metric-family.js";

type Informers = () => readonly Informer<KubeObject>[];

const phases = ["idle", "listing", "watching", "waiting", "stopped"] as const;

/** The metrics of the informers there are at the time. */
export function reflectorMetrics(informers: Informers): readonly MetricFamily[] {
  const labels = ["resource"];
  const counter = (name: keyof ReflectorCounts, help: string): MetricFamily =>
    collected({ name: `kubewright_reflector_${name}_total`, help, labels }, "counter", () =>
      byResource(informers, ({ counts }) => counts.reduce((sum, count) => sum + count[name], 0)),
    );
  return [
    collected(
      { name: "kubewright_reflector_watches", help: "Watches by phase", labels: ["resource", "phase"] },
      "gauge",
      () =>
        phases.flatMap((phase) =>
          byResource(informers, ({ states }) => states.filter((state) => state.phase === phase).length).map(
            ({ labels: [resource = ""], value }) => ({ labels: [resource, phase], value }),
          ),
        ),
    ),
    counter("lists", "Lists asked for; more than one is a relist"),
    counter("watches", "Watches opened"),
    counter("events", "Changes received"),
    counter("silences", "Watches given up because nothing came"),
    counter("failures", "Lists and watches that failed"),
    collected({ name: "kubewright_cache_objects", help: "Objects cached", labels }, "gauge", () =>
      byResource(informers, ({ store }) => store.size),
    ),
    collected(
      { name: "kubewright_cache_set_aside_objects", help: "Objects that cannot be cached", labels },
      "gauge",
      () => byResource(informers, ({ setAside }) => setAside.objects.length),
    ),
    collected(
      { name: "kubewright_cache_set_aside_total", help: "How often an object could not be cached", labels },
      "counter",
      () => byResource(informers, ({ setAside }) => setAside.count),
    ),
  ];
}

/** Informers of the same kind with other selections count together. */
function byResource(informers: Informers, measure: (informer: Informer<KubeObject>) => number) {
  const sums = new Map<string, number>();
  for (const informer of informers()) {
    const { plural, group } = informer.resource;
    const name = group ? `${plural}.${group}` : plural;
    sums.set(name, (sums.get(name) ?? 0) + measure(informer));
  }
  return [...sums].map(([resource, value]) => ({ labels: [resource], value }));
}
