// Metrics as autoscaling/v1 keeps them in an annotation: the shape they had before v2.
import type {
  CrossVersionObjectReference,
  LabelSelector,
  MetricSpec,
  MetricStatus,
  Quantity,
} from "@kubewright/api";

interface Reference {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion?: string | undefined;
}

/** A metric in the old shape; which fields it has depends on its type. */
export interface OldMetric {
  readonly type: string;
  readonly object?: OldObject | undefined;
  readonly pods?: OldNamed | undefined;
  readonly resource?: OldResource | undefined;
  readonly containerResource?: (OldResource & { readonly container: string }) | undefined;
  readonly external?: OldNamed | undefined;
}

interface OldNamed {
  readonly metricName: string;
  readonly selector?: LabelSelector | undefined;
  readonly metricSelector?: LabelSelector | undefined;
  readonly targetValue?: Quantity | undefined;
  readonly targetAverageValue?: Quantity | undefined;
  readonly currentValue?: Quantity | undefined;
  readonly currentAverageValue?: Quantity | undefined;
}

interface OldObject extends OldNamed {
  readonly target: Reference;
  readonly averageValue?: Quantity | undefined;
}

interface OldResource {
  readonly name: string;
  readonly targetAverageUtilization?: number | undefined;
  readonly targetAverageValue?: Quantity | undefined;
  readonly currentAverageUtilization?: number | undefined;
  readonly currentAverageValue?: Quantity | undefined;
}

const ifSet = <K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> =>
  (value === undefined ? {} : { [key]: value }) as Partial<Record<K, V>>;

const reference = ({ kind, name, apiVersion }: CrossVersionObjectReference): Reference => ({
  kind,
  name,
  ...ifSet("apiVersion", apiVersion),
});

/** A metric spec as v2beta1 writes it. */
export function toOldMetric({
  type,
  object,
  pods,
  resource,
  containerResource,
  external,
}: MetricSpec): OldMetric {
  if (object) {
    const { describedObject, metric, target } = object;
    const old = {
      target: reference(describedObject),
      metricName: metric.name,
      targetValue: target.value ?? "0",
      ...ifSet("selector", metric.selector),
      ...ifSet("averageValue", target.averageValue),
    };
    return { type, object: old };
  }
  if (pods) {
    const { metric, target } = pods;
    const targetAverageValue = target.averageValue ?? "0";
    return {
      type,
      pods: { metricName: metric.name, targetAverageValue, ...ifSet("selector", metric.selector) },
    };
  }
  if (external) {
    const { metric, target } = external;
    const old = {
      metricName: metric.name,
      ...ifSet("metricSelector", metric.selector),
      ...ifSet("targetValue", target.value),
      ...ifSet("targetAverageValue", target.averageValue),
    };
    return { type, external: old };
  }
  if (containerResource) {
    const { container } = containerResource;
    return { type, containerResource: { ...oldResource(containerResource), container } };
  }
  return resource ? { type, resource: oldResource(resource) } : { type };
}

const oldResource = ({ name, target }: NonNullable<MetricSpec["resource"]>): OldResource => ({
  name,
  ...ifSet("targetAverageUtilization", target.averageUtilization),
  ...ifSet("targetAverageValue", target.averageValue),
});

/** A metric spec as v2 writes it. */
export function fromOldMetric(old: OldMetric): MetricSpec {
  const { type, object, pods, resource, containerResource, external } = old;
  if (object) return { type, object: fromOldObject(object) };
  if (pods) {
    const target = { type: "AverageValue", ...ifSet("averageValue", pods.targetAverageValue) };
    return { type, pods: { metric: metricOf(pods), target } };
  }
  if (external) {
    const target = {
      type: external.targetValue === undefined ? "AverageValue" : "Value",
      ...ifSet("value", external.targetValue),
      ...ifSet("averageValue", external.targetAverageValue),
    };
    return { type, external: { metric: metricOf(external), target } };
  }
  if (containerResource) {
    const { name, container } = containerResource;
    return { type, containerResource: { name, container, target: resourceTarget(containerResource) } };
  }
  return resource ? { type, resource: { name: resource.name, target: resourceTarget(resource) } } : { type };
}

function fromOldObject(old: OldObject): NonNullable<MetricSpec["object"]> {
  const target =
    old.averageValue === undefined
      ? { type: "Value", ...ifSet("value", old.targetValue) }
      : { type: "AverageValue", averageValue: old.averageValue };
  return { describedObject: old.target, metric: metricOf(old), target };
}

const metricOf = ({ metricName, selector, metricSelector }: OldNamed) => ({
  name: metricName,
  ...ifSet("selector", selector ?? metricSelector),
});

const resourceTarget = ({ targetAverageUtilization, targetAverageValue }: OldResource) => ({
  type: targetAverageUtilization === undefined ? "AverageValue" : "Utilization",
  ...ifSet("averageUtilization", targetAverageUtilization),
  ...ifSet("averageValue", targetAverageValue),
});

/** A measurement in the old shape. */
export function toOldStatus(status: MetricStatus): OldMetric {
  const { type, object, pods, resource, containerResource, external } = status;
  if (object) {
    const old = {
      target: reference(object.describedObject),
      metricName: object.metric.name,
      currentValue: object.current.value ?? "0",
      ...ifSet("selector", object.metric.selector),
      ...ifSet("averageValue", object.current.averageValue),
    };
    return { type, object: old };
  }
  if (pods) {
    const { metric, current } = pods;
    const currentAverageValue = current.averageValue ?? "0";
    return {
      type,
      pods: { metricName: metric.name, currentAverageValue, ...ifSet("selector", metric.selector) },
    };
  }
  if (external) {
    const old = {
      metricName: external.metric.name,
      ...ifSet("metricSelector", external.metric.selector),
      currentValue: external.current.value ?? "0",
      ...ifSet("currentAverageValue", external.current.averageValue),
    };
    return { type, external: old };
  }
  if (containerResource) {
    const { container } = containerResource;
    return { type, containerResource: { ...oldResourceStatus(containerResource), container } };
  }
  return resource ? { type, resource: oldResourceStatus(resource) } : { type };
}

const oldResourceStatus = ({ name, current }: NonNullable<MetricStatus["resource"]>): OldResource => ({
  name,
  ...ifSet("currentAverageUtilization", current.averageUtilization),
  currentAverageValue: current.averageValue ?? "0",
});

/** A measurement in the current shape. */
export function fromOldStatus(old: OldMetric): MetricStatus {
  const { type, object, pods, resource, containerResource, external } = old;
  if (object) {
    const current = { ...ifSet("value", object.currentValue), ...ifSet("averageValue", object.averageValue) };
    return { type, object: { describedObject: object.target, metric: metricOf(object), current } };
  }
  if (pods) {
    return {
      type,
      pods: { metric: metricOf(pods), current: { ...ifSet("averageValue", pods.currentAverageValue) } },
    };
  }
  if (external) {
    const current = {
      ...ifSet("value", external.currentValue),
      ...ifSet("averageValue", external.currentAverageValue),
    };
    return { type, external: { metric: metricOf(external), current } };
  }
  if (containerResource) {
    const { name, container } = containerResource;
    return { type, containerResource: { name, container, current: resourceCurrent(containerResource) } };
  }
  return resource
    ? { type, resource: { name: resource.name, current: resourceCurrent(resource) } }
    : { type };
}

const resourceCurrent = ({ currentAverageUtilization, currentAverageValue }: OldResource) => ({
  ...ifSet("averageUtilization", currentAverageUtilization),
  ...ifSet("averageValue", currentAverageValue),
});
