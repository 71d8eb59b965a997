// Defaults of HorizontalPodAutoscalers: the CPU target and scaling behavior.
import type {
  AutoscalingV1HorizontalPodAutoscaler,
  Draft,
  HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricSpec,
} from "@kubewright/api";
import { emptyFieldsOf } from "@kubewright/machinery";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { metricsAnnotation, readMetrics } from "./read-annotation.js";

type Rules = Draft<HPAScalingRules>;

const defaultUtilization = 80;

/** The metric of an autoscaler that names none. */
export const defaultMetric = (): Draft<MetricSpec> => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: defaultUtilization } },
});

const scaleUp = (): Rules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
});
const scaleDown = (): Rules => ({
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
});

/** The old version has its other metrics in an annotation; with none of them either the CPU is measured. */
function defaultTarget(object: DraftObject): void {
  const { spec, metadata } = draftAs<AutoscalingV1HorizontalPodAutoscaler>(object);
  const others = readMetrics(metadata?.annotations?.[metricsAnnotation]) ?? [];
  if (spec && others.length === 0) spec.targetCPUUtilizationPercentage ??= defaultUtilization;
}

/** No policies at all are an error, and no reason to fill in the usual ones. */
const withEmptyPolicies = (object: DraftObject, direction: string): Partial<Rules> =>
  emptyFieldsOf(object).has(`spec.behavior.${direction}.policies`) ? { policies: [] } : {};

/** Fills in an autoscaler of either version; the old one knows fewer fields. */
export function defaultAutoscaler(object: DraftObject): void {
  const { spec } = draftAs<HorizontalPodAutoscaler>(object);
  if (!spec) return;
  spec.minReplicas ??= 1;
  if (object.apiVersion === "autoscaling/v1") {
    defaultTarget(object);
    return;
  }
  if ((spec.metrics ?? []).length === 0) spec.metrics = [defaultMetric()];
  if (!spec.behavior) return;
  spec.behavior.scaleUp = { ...scaleUp(), ...withEmptyPolicies(object, "scaleUp"), ...spec.behavior.scaleUp };
  spec.behavior.scaleDown = {
    ...scaleDown(),
    ...withEmptyPolicies(object, "scaleDown"),
    ...spec.behavior.scaleDown,
  };
}
