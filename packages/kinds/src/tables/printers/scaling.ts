// Kinds that bound how many pods there are.
import {
  AutoscalingV1HorizontalPodAutoscaler,
  HorizontalPodAutoscaler,
  type JsonObject,
  type MetricSpec,
  type MetricStatus,
  type MetricTarget,
  type MetricValueStatus,
  PodDisruptionBudget,
} from "@kubewright/api";
import { toV2 } from "../../autoscaling/convert-v1.js";
import type { DraftObject } from "../../objects.js";
import { ageColumn, column, nameColumn } from "../column.js";
import { definePrinter, type TablePrinter } from "../printer.js";
import { firstFew } from "./cell-text.js";

const podDisruptionBudget = definePrinter(
  PodDisruptionBudget,
  [
    nameColumn,
    column("Min Available", { description: "The minimum number of pods that must be available." }),
    column("Max Unavailable", { description: "The maximum number of pods that may be unavailable." }),
    column("Allowed Disruptions", {
      type: "integer",
      description: "Calculated number of pods that may be disrupted at this time.",
    }),
    ageColumn,
  ],
  ({ metadata, spec, status }, { age }) => [
    metadata?.name ?? "",
    String(spec?.minAvailable ?? "N/A"),
    String(spec?.maxUnavailable ?? "N/A"),
    status?.disruptionsAllowed ?? 0,
    age(metadata?.creationTimestamp),
  ],
);

const autoscalerColumns = [
  nameColumn,
  column("Reference", { of: "HorizontalPodAutoscalerSpec.scaleTargetRef" }),
  column("Targets", { of: "HorizontalPodAutoscalerSpec.metrics" }),
  column("MinPods", { of: "HorizontalPodAutoscalerSpec.minReplicas" }),
  column("MaxPods", { of: "HorizontalPodAutoscalerSpec.maxReplicas" }),
  column("Replicas", { of: "HorizontalPodAutoscalerStatus.currentReplicas" }),
  ageColumn,
];
const maxMetrics = 2;

const autoscaler = definePrinter(
  HorizontalPodAutoscaler,
  autoscalerColumns,
  ({ metadata, spec, status }, { age }) => {
    const metrics = (spec?.metrics ?? []).map((metric, i) => metricText(metric, status?.currentMetrics?.[i]));
    return [
      metadata?.name ?? "",
      `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`,
      firstFew(metrics, maxMetrics, "<none>", ", "),
      String(spec?.minReplicas ?? "<unset>"),
      spec?.maxReplicas ?? 0,
      status?.currentReplicas ?? 0,
      age(metadata?.creationTimestamp),
    ];
  },
);

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  switch (metric.type) {
    case "External":
      return valueText(metric.external?.target, status?.external?.current);
    case "Object":
      return valueText(metric.object?.target, status?.object?.current);
    case "Pods":
      return `${currentText(status?.pods?.current, "averageValue")}/${metric.pods?.target?.averageValue ?? none}`;
    case "Resource":
      return resourceText(metric.resource?.name, metric.resource?.target, status?.resource?.current);
    case "ContainerResource":
      return resourceText(
        metric.containerResource?.name,
        metric.containerResource?.target,
        status?.containerResource?.current,
      );
    default:
      return "<unknown type>";
  }
}

/** How Go prints an amount that is not there. */
const none = "<nil>";

/** The measured value; a metric status without one differs from no status. */
const currentText = (
  current: MetricValueStatus | undefined,
  field: "value" | "averageValue",
): string | number => (current ? (current[field] ?? none) : "<unknown>");

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined)
    return `${current?.averageValue ?? "<unknown>"}/${target.averageValue} (avg)`;
  return `${currentText(current, "value")}/${target?.value ?? none}`;
}

function resourceText(
  name: string | undefined,
  target: MetricTarget | undefined,
  current: MetricValueStatus | undefined,
): string {
  if (target?.averageValue !== undefined) {
    return `${name}: ${currentText(current, "averageValue")}/${target.averageValue}`;
  }
  return utilization(name, current?.averageUtilization, target?.averageUtilization);
}

function utilization(
  name: string | undefined,
  current: number | undefined,
  target: number | undefined,
): string {
  const now = current === undefined ? "<unknown>" : `${current}%`;
  return `${name}: ${now}/${target === undefined ? "<auto>" : `${target}%`}`;
}

/** The old version has no fields for most metrics; they are printed all the same, because they are there. */
const oldAutoscaler: TablePrinter = {
  ...autoscaler,
  version: AutoscalingV1HorizontalPodAutoscaler.version,
  print: (object, context) =>
    autoscaler.print(toV2(object as unknown as DraftObject) as unknown as JsonObject, context),
};

export const scalingPrinters: readonly TablePrinter[] = [podDisruptionBudget, autoscaler, oldAutoscaler];
