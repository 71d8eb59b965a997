import type { BuiltInKind } from "../built-in-kind.js";
import { podDisruptionBudgets } from "./pod-disruption-budget.js";

/** What keeps disruptions in bounds. */
export const policyKinds: readonly BuiltInKind[] = [podDisruptionBudgets];
