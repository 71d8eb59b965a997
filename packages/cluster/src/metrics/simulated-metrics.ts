// Metrics of a simulated cluster: what pods use comes from rules, everything else is set by whoever needs it.
import { Amount, type LabelMatcher, type Labels, Pod } from "@kubewright/api";
import type { InformerPool } from "@kubewright/runtime";
import type { ContainerRuntime } from "../nodes/container-runtime.js";
import type { MetricObject, MetricsSource, PodUsage } from "./metrics-source.js";

interface External {
  readonly namespace: string | undefined;
  readonly labels: Labels;
  readonly value: number;
}

export class SimulatedMetrics implements MetricsSource {
  readonly #pool: InformerPool;
  readonly #runtime: ContainerRuntime;
  /** By metric, kind, namespace and name. */
  readonly #objects = new Map<string, number>();
  /** By metric. */
  readonly #external = new Map<string, External[]>();

  constructor(pool: InformerPool, runtime: ContainerRuntime) {
    this.#pool = pool;
    this.#runtime = runtime;
  }

  /** Sets a custom metric of an object, a pod for instance; `undefined` takes it away. */
  set(metric: string, object: MetricObject, value: string | number | undefined): void {
    const key = keyOf(metric, object);
    if (value === undefined) this.#objects.delete(key);
    else this.#objects.set(key, Amount.parse(String(value)).toNumber());
  }

  /** Sets the values of an external metric, each with labels and, where it is of one namespace only, that. */
  setExternal(
    metric: string,
    values: readonly {
      readonly value: string | number;
      readonly labels?: Labels | undefined;
      readonly namespace?: string | undefined;
    }[],
  ): void {
    const entries = values.map(({ value, labels = {}, namespace }) => ({
      value: Amount.parse(String(value)).toNumber(),
      labels,
      namespace,
    }));
    this.#external.set(metric, entries);
  }

  podUsage(namespace: string, selector: LabelMatcher): readonly PodUsage[] {
    return this.#running(namespace, selector).flatMap((pod) => {
      const containers = (this.#runtime.usage?.(pod) ?? []).map(({ container, cpu, memory }) => ({
        name: container,
        cpu,
        memory,
      }));
      return containers.length === 0 ? [] : [{ name: pod.metadata?.name ?? "", namespace, containers }];
    });
  }

  podMetric(
    metric: string,
    namespace: string,
    selector: LabelMatcher,
  ): readonly { name: string; value: number }[] {
    return this.#running(namespace, selector).flatMap(({ metadata }) => {
      const name = metadata?.name ?? "";
      const value = this.#objects.get(keyOf(metric, { kind: "Pod", namespace, name }));
      return value === undefined ? [] : [{ name, value }];
    });
  }

  objectMetric(metric: string, object: MetricObject): number | undefined {
    return this.#objects.get(keyOf(metric, object));
  }

  externalMetric(metric: string, namespace: string, selector: LabelMatcher): readonly number[] {
    return (this.#external.get(metric) ?? [])
      .filter(
        (one) => (one.namespace === undefined || one.namespace === namespace) && selector.matches(one.labels),
      )
      .map(({ value }) => value);
  }

  #running(namespace: string, selector: LabelMatcher): readonly Pod[] {
    const store = this.#pool.find(Pod, { namespace })?.store;
    return (store?.list() ?? []).filter(
      ({ metadata, status }) =>
        metadata?.namespace === namespace && status?.phase === "Running" && selector.matches(metadata.labels),
    );
  }
}

const keyOf = (metric: string, { kind, namespace, name }: MetricObject): string =>
  JSON.stringify([metric, kind, namespace, name]);
