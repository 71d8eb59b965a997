import type { BuiltInKind } from "../built-in-kind.js";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscaler.js";

/** The kinds of `autoscaling`. */
export const autoscalingKinds: readonly BuiltInKind[] = [horizontalPodAutoscalers];
