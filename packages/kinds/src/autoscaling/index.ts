import type { BuiltInKind } from "../built-in-kind.js";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscaler.js";

/** What changes the size of workloads. */
export const autoscalingKinds: readonly BuiltInKind[] = [horizontalPodAutoscalers];
