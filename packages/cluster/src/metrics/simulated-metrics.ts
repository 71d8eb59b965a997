// Metrics of a simulated cluster: usage of pods comes from rules, custom and external metrics are set by tests.
import { Amount, type LabelMatcher, type Labels, Node, Pod } from "@kubewright/api";
import type { InformerPool } from "@kubewright/runtime";
import type { ContainerRuntime } from "../nodes/container-runtime.js";
import type { MetricObject, MetricsSource, PodUsage } from "./metrics-source.js";

interface External {
  readonly namespace: string | undefined;
  readonly labels: Labels;
  readonly value: number;
}

/** The usage of a container: cores, and bytes. */
export interface ContainerUse {
  readonly name: string;
  readonly cpu: number;
  readonly memory: number;
}

/** Where the numbers come from. */
export interface MeteredCluster {
  readonly pool: InformerPool;
  readonly runtime: ContainerRuntime;
  /** Whether the node can be asked. */
  readonly isNodeDown: (node: string) => boolean;
}

/** Resource, custom and external metrics of an embedded cluster, for autoscalers and `kubectl top`. */
export class SimulatedMetrics implements MetricsSource {
  readonly #cluster: MeteredCluster;
  /** By metric, kind, namespace and name. */
  readonly #objects = new Map<string, number>();
  /** By metric. */
  readonly #external = new Map<string, External[]>();

  constructor(cluster: MeteredCluster) {
    this.#cluster = cluster;
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
      const containers = this.#used(pod);
      return containers.length === 0 ? [] : [{ name: pod.metadata?.name ?? "", namespace, containers }];
    });
  }

  /** The running pods of a namespace, or of all, and what they use; by namespace and name. */
  pods(namespace?: string): readonly { readonly pod: Pod; readonly containers: readonly ContainerUse[] }[] {
    return this.#running(namespace)
      .flatMap((pod) => {
        const containers = this.#used(pod);
        return containers.length === 0 ? [] : [{ pod, containers }];
      })
      .toSorted((one, other) => (placeOf(one.pod) < placeOf(other.pod) ? -1 : 1));
  }

  /** The nodes that can be asked, and what the pods on them use together; by name. */
  nodes(): readonly { readonly node: Node; readonly cpu: number; readonly memory: number }[] {
    const sums = new Map<string, { cpu: number; memory: number }>();
    for (const pod of this.#running()) {
      const name = pod.spec?.nodeName ?? "";
      const sum = sums.get(name) ?? { cpu: 0, memory: 0 };
      for (const { cpu, memory } of this.#used(pod)) {
        sum.cpu += cpu;
        sum.memory += memory;
      }
      sums.set(name, sum);
    }
    const { pool, isNodeDown } = this.#cluster;
    return (pool.find(Node, {})?.store.list() ?? [])
      .map((node) => ({ node, name: node.metadata?.name ?? "" }))
      .filter(({ name }) => !isNodeDown(name))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ node, name }) => ({ node, ...(sums.get(name) ?? { cpu: 0, memory: 0 }) }));
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

  #used(pod: Pod): readonly ContainerUse[] {
    if (this.#cluster.isNodeDown(pod.spec?.nodeName ?? "")) return [];
    return (this.#cluster.runtime.usage?.(pod) ?? []).map(({ container, cpu, memory }) => ({
      name: container,
      cpu,
      memory,
    }));
  }

  #running(namespace?: string, selector?: LabelMatcher): readonly Pod[] {
    const store = this.#cluster.pool.find(Pod, namespace === undefined ? {} : { namespace })?.store;
    return (store?.list() ?? []).filter(
      ({ metadata, status }) =>
        (namespace === undefined || metadata?.namespace === namespace) &&
        status?.phase === "Running" &&
        (selector?.matches(metadata?.labels) ?? true),
    );
  }
}

const placeOf = ({ metadata }: Pod): string => `${metadata?.namespace}/${metadata?.name}`;

const keyOf = (metric: string, { kind, namespace, name }: MetricObject): string =>
  JSON.stringify([metric, kind, namespace, name]);
