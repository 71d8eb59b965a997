// Defaults of HorizontalPodAutoscalers: the CPU target and scaling behavior.
import type { Draft, HorizontalPodAutoscaler, HPAScalingRules, MetricSpec } from "@kubewright/api";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";

type Rules = Draft<HPAScalingRules>;

/** The metric of an autoscaler that names none. */
export const defaultMetric = (): Draft<MetricSpec> => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
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

/** Fills in an autoscaler of either version; the old one knows fewer fields. */
export function defaultAutoscaler(object: DraftObject): void {
  const { spec } = draftAs<HorizontalPodAutoscaler>(object);
  if (!spec) return;
  spec.minReplicas ??= 1;
  if (object.apiVersion === "autoscaling/v1") return;
  if ((spec.metrics ?? []).length === 0) spec.metrics = [defaultMetric()];
  if (!spec.behavior) return;
  spec.behavior.scaleUp = { ...scaleUp(), ...spec.behavior.scaleUp };
  spec.behavior.scaleDown = { ...scaleDown(), ...spec.behavior.scaleDown };
}
