import type { NativeKind } from "../../registry/native-kinds.js";
import { podDisruptionBudgets } from "./pod-disruption-budget.js";

/** What keeps disruptions in bounds. */
export const policyKinds: readonly NativeKind[] = [podDisruptionBudgets];
