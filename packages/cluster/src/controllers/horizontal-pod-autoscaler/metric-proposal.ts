// The replicas that each metric of an autoscaler proposes, or the condition where it cannot.
import {
  Amount,
  type HorizontalPodAutoscalerStatus,
  LabelMatcher,
  type MetricIdentifier,
  type MetricSpec,
  type Pod,
  type Quantity,
} from "@kubewright/api";
import type { MetricsSource } from "../../metrics/metrics-source.js";
import { goSelector } from "../../workload/go-selector.js";
import { podRequests, podUsage } from "./pod-resources.js";
import {
  averageReplicas,
  type ReplicaCount,
  type ReplicaCountInput,
  sharedReplicas,
  type Tolerances,
  utilizationReplicas,
  valueReplicas,
} from "./replica-count.js";

export type MetricStatus = NonNullable<HorizontalPodAutoscalerStatus["currentMetrics"]>[number];

/** The input of a metric's proposal. */
export interface ProposalInput {
  readonly metrics: MetricsSource | undefined;
  readonly namespace: string;
  readonly selector: LabelMatcher;
  readonly pods: readonly Pod[];
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
  readonly now: number;
}

export interface Proposal {
  readonly replicas: number;
  /** The metric, as people read of it. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** A metric could not be had. */
export class MetricError extends Error {
  override readonly name = "MetricError";
  /** The reason of the condition and event. */
  readonly reason: string;
  /** The prefix of the message where the metric is one of several. */
  readonly context: string;

  constructor(reason: string, context: string, message: string) {
    super(message);
    this.reason = reason;
    this.context = context;
  }
}

/** The proposal of the metric; throws a MetricError. */
export function propose(spec: MetricSpec, input: ProposalInput): Proposal {
  const { reason, context, compute } = sourceOf(spec);
  try {
    return compute(input);
  } catch (error) {
    throw new MetricError(reason, context, error instanceof Error ? error.message : String(error));
  }
}

interface Source {
  readonly reason: string;
  readonly context: string;
  compute(input: ProposalInput): Proposal;
}

function sourceOf(spec: MetricSpec): Source {
  const { resource, containerResource, pods, object, external } = spec;
  if (resource)
    return {
      reason: "FailedGetResourceMetric",
      context: `failed to get ${resource.name} resource metric value`,
      compute: (input) => ofResource(resource, undefined, input),
    };
  if (containerResource)
    return {
      reason: "FailedGetContainerResourceMetric",
      context: `failed to get ${containerResource.container} container metric value`,
      compute: (input) => ofResource(containerResource, containerResource.container, input),
    };
  if (pods)
    return {
      reason: "FailedGetPodsMetric",
      context: "failed to get pods metric value",
      compute: (input) => ofPods(pods, input),
    };
  if (object)
    return {
      reason: "FailedGetObjectMetric",
      context: "failed to get object metric value",
      compute: (input) => ofObject(object, input),
    };
  if (external)
    return {
      reason: "FailedGetExternalMetric",
      context: `failed to get ${external.metric.name} external metric value`,
      compute: (input) => ofExternal(external, input),
    };
  const message = `unknown metric source type "${spec.type}"`;
  return {
    reason: "InvalidMetricSourceType",
    context: "",
    compute: () => {
      throw new Error(message);
    },
  };
}

const milli = (quantity: Quantity): number => Number(Amount.parse(quantity).milliValue());
const shown = (thousandths: number): string =>
  Amount.of(BigInt(Math.trunc(thousandths)), "DecimalSI", -3).toString();

const countInput = (
  input: ProposalInput,
  usage: ReadonlyMap<string, number>,
  isCpu: boolean,
): ReplicaCountInput => ({
  pods: input.pods,
  usage,
  isCpu,
  currentReplicas: input.specReplicas,
  tolerances: input.tolerances,
  now: input.now,
});

function ofResource(
  { name, target }: NonNullable<MetricSpec["resource"]>,
  container: string | undefined,
  input: ProposalInput,
): Proposal {
  const what = target.averageValue === undefined ? "utilization" : "usage";
  let count: ReplicaCount;
  try {
    const counting = countInput(input, podUsage(input, name, container), name === "cpu");
    if (target.averageValue !== undefined) count = averageReplicas(counting, milli(target.averageValue));
    else if (target.averageUtilization !== undefined)
      count = utilizationReplicas(
        counting,
        () => podRequests(input.pods, name, container),
        target.averageUtilization,
      );
    else
      throw new Error(
        "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
      );
  } catch (error) {
    throw new Error(`failed to get ${name} ${what}: ${error instanceof Error ? error.message : error}`);
  }
  const share = count.utilization === undefined ? {} : { averageUtilization: count.utilization };
  const current = { averageValue: shown(count.usage), ...share };
  const status: MetricStatus =
    container === undefined
      ? { type: "Resource", resource: { name, current } }
      : { type: "ContainerResource", containerResource: { name, container, current } };
  return { replicas: count.replicas, name: resourceName(name, what, container), status };
}

function resourceName(name: string, what: string, container: string | undefined): string {
  if (what === "usage") return `${name} resource`;
  return `${name} ${container === undefined ? "" : "container "}resource utilization (percentage of request)`;
}

function ofPods({ metric, target }: NonNullable<MetricSpec["pods"]>, input: ProposalInput): Proposal {
  const found = input.metrics?.podMetric(metric.name, input.namespace, input.selector) ?? [];
  if (found.length === 0)
    throw new Error(`unable to get metric ${metric.name}: ${nothingFrom("custom", input)}`);
  const usage = new Map(found.map(({ name, value }) => [name, value * 1000]));
  const count = averageReplicas(countInput(input, usage, false), milli(target.averageValue ?? "1"));
  return {
    replicas: count.replicas,
    name: `pods metric ${metric.name}`,
    status: {
      type: "Pods",
      pods: { metric: identifier(metric), current: { averageValue: shown(count.usage) } },
    },
  };
}

function ofObject(
  { metric, target, describedObject }: NonNullable<MetricSpec["object"]>,
  input: ProposalInput,
): Proposal {
  const { kind, name } = describedObject;
  const found = input.metrics?.objectMetric(metric.name, { kind, name, namespace: input.namespace });
  if (found === undefined) {
    const missing = `the server could not find the metric ${metric.name} for ${kind.toLowerCase()} ${name}`;
    const text = input.metrics
      ? `unable to fetch metrics from custom metrics API: ${missing}`
      : nothingFrom("custom", input);
    throw new Error(`unable to get metric ${metric.name}: ${kind} on ${input.namespace} ${name}/${text}`);
  }
  const { count, current } = ofValue(found * 1000, target, input);
  const isShared = target.value === undefined;
  return {
    replicas: count.replicas,
    name: isShared
      ? `external metric ${metric.name}(${goSelector(metric.selector)})`
      : `${kind} metric ${metric.name}`,
    status: { type: "Object", object: { describedObject, metric: identifier(metric), current } },
  };
}

function ofExternal({ metric, target }: NonNullable<MetricSpec["external"]>, input: ProposalInput): Proposal {
  const matcher = metric.selector ? LabelMatcher.from(metric.selector) : LabelMatcher.everything;
  const found = input.metrics?.externalMetric(metric.name, input.namespace, matcher) ?? [];
  const selector = goSelector(metric.selector);
  if (found.length === 0)
    throw new Error(
      `unable to get external metric ${input.namespace}/${metric.name}/${selector}: ${nothingFrom("external", input)}`,
    );
  const total = found.reduce((all, value) => all + value * 1000, 0);
  const { count, current } = ofValue(total, target, input);
  return {
    replicas: count.replicas,
    name: `external metric ${metric.name}(${selector})`,
    status: { type: "External", external: { metric: identifier(metric), current } },
  };
}

/** A value of the whole, or of each replica's share. */
function ofValue(
  value: number,
  { averageValue, value: target }: NonNullable<MetricSpec["external"]>["target"],
  { specReplicas, statusReplicas, pods, tolerances }: ProposalInput,
): { readonly count: ReplicaCount; readonly current: { readonly [key: string]: string } } {
  if (target !== undefined) {
    const count = valueReplicas(value, milli(target), specReplicas, pods, tolerances);
    return { count, current: { value: shown(count.usage) } };
  }
  if (averageValue === undefined)
    throw new Error("invalid metric source: neither a value target nor an average value target was set");
  const count = sharedReplicas(value, milli(averageValue), statusReplicas, tolerances);
  return { count, current: { averageValue: shown(count.usage) } };
}

const identifier = ({ name, selector }: MetricIdentifier): MetricIdentifier => ({
  name,
  ...(selector ? { selector } : {}),
});

/** Without a source it is as if nobody had installed one. */
function nothingFrom(api: "custom" | "external", { metrics }: ProposalInput): string {
  const missing = `unable to fetch metrics from ${api} metrics API: the server could not find the requested resource`;
  return metrics ? `no metrics returned from ${api} metrics API` : missing;
}
