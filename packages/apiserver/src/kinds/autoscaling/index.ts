import type { NativeKind } from "../../registry/native-kinds.js";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscaler.js";

/** What changes the size of workloads. */
export const autoscalingKinds: readonly NativeKind[] = [horizontalPodAutoscalers];
