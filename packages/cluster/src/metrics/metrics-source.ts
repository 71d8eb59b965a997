// The source of the metrics that autoscalers read. In a cluster of simulated nodes they come from rules and from values that
// tests set.
import type { LabelMatcher } from "@kubewright/api";

/** The usage of a running pod's containers. */
export interface PodUsage {
  readonly name: string;
  readonly namespace: string;
  readonly containers: readonly {
    readonly name: string;
    /** In cores. */
    readonly cpu: number;
    /** In bytes. */
    readonly memory: number;
  }[];
}

/** The object that a metric describes. */
export interface MetricObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Reads numbers as they are now; what is not there has none. */
export interface MetricsSource {
  /** Of the running pods that the selector means. */
  podUsage(namespace: string, selector: LabelMatcher): readonly PodUsage[];
  /** A custom metric of the running pods that the selector means. */
  podMetric(
    metric: string,
    namespace: string,
    selector: LabelMatcher,
  ): readonly { readonly name: string; readonly value: number }[];
  /** A custom metric of one object. */
  objectMetric(metric: string, object: MetricObject): number | undefined;
  /** The values of an external metric whose labels match. */
  externalMetric(metric: string, namespace: string, selector: LabelMatcher): readonly number[];
}
