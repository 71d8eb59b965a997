import type { BuiltInKind } from "../built-in-kind.js";
import { podDisruptionBudgets } from "./pod-disruption-budget.js";

/** The kinds of `policy`: disruption budgets. */
export const policyKinds: readonly BuiltInKind[] = [podDisruptionBudgets];
