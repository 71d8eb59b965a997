// autoscaling/v1 and v2 show the same autoscalers. What v1 has no field for travels in annotations.
import {
  type AutoscalingV1HorizontalPodAutoscaler,
  cloneJson,
  type Draft,
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerBehavior,
  type HPAScalingRules,
  type MetricSpec,
  type MetricStatus,
} from "@kubewright/api";
import type { BuiltInConversion } from "../built-in-kind.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { defaultMetric } from "./default-autoscaler.js";
import { fromOldMetric, fromOldStatus, toOldMetric, toOldStatus } from "./metric-v1.js";
import {
  type InternalRules,
  metricsAnnotation,
  readBehavior,
  readConditions,
  readMetrics,
} from "./read-annotation.js";

type V1 = Draft<AutoscalingV1HorizontalPodAutoscaler>;
type V2 = Draft<HorizontalPodAutoscaler>;
type Annotations = Record<string, string>;

const currentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";
const conditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions";
const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";
const roundTrip = new Set([
  metricsAnnotation,
  currentMetricsAnnotation,
  conditionsAnnotation,
  behaviorAnnotation,
]);

/** Between v1, which is served, and v2, which is stored. */
export const autoscalerConversion: BuiltInConversion = {
  fromStorage: (objects) => objects.map((object) => toV1(object) as unknown as StoredObject),
  toStorage: (object) => toV2(object),
};

const isCpu = (metric: MetricSpec | MetricStatus): boolean =>
  metric.type === "Resource" && metric.resource?.name === "cpu";

/** An autoscaler in either version; undefined for others. */
export function autoscalerInVersion(object: DraftObject, apiVersion: string): DraftObject | undefined {
  if (object.apiVersion === apiVersion) return object;
  if (apiVersion === "autoscaling/v2") return toV2(object);
  return apiVersion === "autoscaling/v1" ? toV1(object as unknown as StoredObject) : undefined;
}

/** An autoscaler as v1 shows it. */
function toV1(object: StoredObject): DraftObject {
  const { spec, status, metadata } = cloneJson(object) as unknown as V2 & {
    metadata: DraftObject["metadata"];
  };
  const metrics = spec?.metrics ?? [];
  const isUtilization = (metric: MetricSpec): boolean =>
    isCpu(metric) && metric.resource?.target.averageUtilization !== undefined;
  const cpu = metrics.find(isUtilization)?.resource?.target.averageUtilization;
  const others = metrics.filter((metric) => !isUtilization(metric));
  const annotations = withoutRoundTrip(metadata.annotations);
  if (others.length > 0) annotations[metricsAnnotation] = JSON.stringify(others.map(toOldMetric));
  const current = status?.currentMetrics ?? [];
  if (current.length > 0) annotations[currentMetricsAnnotation] = JSON.stringify(current.map(toOldStatus));
  if ((status?.conditions ?? []).length > 0)
    annotations[conditionsAnnotation] = JSON.stringify(status?.conditions);
  if (spec?.behavior) annotations[behaviorAnnotation] = JSON.stringify(internalBehavior(spec.behavior));
  const used = current.find(isCpu)?.resource?.current.averageUtilization;
  const v1: V1 = {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: withAnnotations(metadata, annotations),
    spec: {
      scaleTargetRef: spec?.scaleTargetRef ?? { kind: "", name: "" },
      ...(spec?.minReplicas === undefined ? {} : { minReplicas: spec.minReplicas }),
      maxReplicas: spec?.maxReplicas ?? 0,
      ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }),
    },
    status: {
      ...(status?.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
      ...(status?.lastScaleTime === undefined ? {} : { lastScaleTime: status.lastScaleTime }),
      currentReplicas: status?.currentReplicas ?? 0,
      desiredReplicas: status?.desiredReplicas ?? 0,
      ...(used === undefined ? {} : { currentCPUUtilizationPercentage: used }),
    },
  };
  return v1 as unknown as DraftObject;
}

/** An autoscaler as v2 has it, which is how it is stored and checked. */
export function toV2(object: DraftObject): DraftObject {
  if (object.apiVersion !== "autoscaling/v1") return object;
  const { spec, status, metadata } = cloneJson(object) as unknown as V1 & {
    metadata: DraftObject["metadata"];
  };
  const annotations: Annotations = metadata.annotations ?? {};
  const v2: V2 = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: withAnnotations(metadata, withoutRoundTrip(annotations)),
    spec: {
      scaleTargetRef: spec?.scaleTargetRef ?? { kind: "", name: "" },
      ...(spec?.minReplicas === undefined ? {} : { minReplicas: spec.minReplicas }),
      maxReplicas: spec?.maxReplicas ?? 0,
      metrics: metricsOf(spec?.targetCPUUtilizationPercentage, annotations),
      ...behaviorOf(annotations),
    },
    status: {
      ...(status?.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
      ...(status?.lastScaleTime === undefined ? {} : { lastScaleTime: status.lastScaleTime }),
      ...(status?.currentReplicas ? { currentReplicas: status.currentReplicas } : {}),
      desiredReplicas: status?.desiredReplicas ?? 0,
      currentMetrics: currentMetricsOf(status?.currentCPUUtilizationPercentage, annotations),
      conditions: readConditions(annotations[conditionsAnnotation]) ?? [],
    } as NonNullable<V2["status"]>,
  };
  return tidied(v2) as unknown as DraftObject;
}

/** Lists of a status that are empty are not printed, except for the current metrics, which are null. */
function tidied(v2: V2): V2 {
  const status = v2.status as Record<string, unknown> | undefined;
  if (!status) return v2;
  if ((status["conditions"] as unknown[]).length === 0) delete status["conditions"];
  if ((status["currentMetrics"] as unknown[]).length === 0) status["currentMetrics"] = null;
  return v2;
}

function metricsOf(utilization: number | undefined, annotations: Annotations): Draft<MetricSpec>[] {
  const others = (readMetrics(annotations[metricsAnnotation]) ?? []).map((old) =>
    cloneJson(fromOldMetric(old)),
  );
  if (utilization === undefined) return others.length > 0 ? others : [defaultMetric()];
  const target = { type: "Utilization", averageUtilization: utilization };
  return [...others, { type: "Resource", resource: { name: "cpu", target } }];
}

function currentMetricsOf(utilization: number | undefined, annotations: Annotations): Draft<MetricStatus>[] {
  const recorded = readMetrics(annotations[currentMetricsAnnotation]);
  if (recorded) return recorded.map((old) => cloneJson(fromOldStatus(old)));
  if (utilization === undefined) return [];
  return [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: utilization } } }];
}

/** The annotation of the behavior has the names of Go's fields. */
function internalBehavior({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): unknown {
  const rules = (from: HPAScalingRules | undefined): unknown =>
    from
      ? {
          StabilizationWindowSeconds: from.stabilizationWindowSeconds ?? null,
          SelectPolicy: from.selectPolicy ?? null,
          Policies:
            from.policies?.map(({ type, value, periodSeconds }) => ({
              Type: type,
              Value: value,
              PeriodSeconds: periodSeconds,
            })) ?? null,
          Tolerance: from.tolerance ?? null,
        }
      : null;
  return { ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) };
}

function behaviorOf(annotations: Annotations): { behavior?: Draft<HorizontalPodAutoscalerBehavior> } {
  const recorded = readBehavior(annotations[behaviorAnnotation]);
  if (!recorded) return {};
  const up = rulesOf(recorded.ScaleUp);
  const down = rulesOf(recorded.ScaleDown);
  if (!up && !down) return {};
  return { behavior: { ...(up ? { scaleUp: up } : {}), ...(down ? { scaleDown: down } : {}) } };
}

function rulesOf(from: InternalRules | undefined): Draft<HPAScalingRules> | undefined {
  if (!from) return undefined;
  const window = from.StabilizationWindowSeconds;
  const policies = from.Policies?.map(({ Type, Value, PeriodSeconds }) => ({
    type: Type,
    value: Value,
    periodSeconds: PeriodSeconds,
  }));
  return {
    ...(window === undefined ? {} : { stabilizationWindowSeconds: window }),
    ...(from.SelectPolicy ? { selectPolicy: from.SelectPolicy } : {}),
    ...(policies ? { policies } : {}),
    ...(from.Tolerance ? { tolerance: from.Tolerance } : {}),
  };
}

const withoutRoundTrip = (annotations: Annotations | undefined): Annotations =>
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !roundTrip.has(key)));

function withAnnotations(
  metadata: DraftObject["metadata"],
  annotations: Annotations,
): DraftObject["metadata"] {
  const { annotations: _old, ...rest } = metadata;
  return Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest;
}
