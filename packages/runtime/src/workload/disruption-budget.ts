// The PodDisruptionBudget of a workload.
import type { IntOrString, PodDisruptionBudget } from "@kubewright/api";

/** The settings of a PodDisruptionBudget; see `disruptionBudget` for its schema. */
export interface DisruptionBudget {
  readonly minAvailable?: IntOrString | undefined;
  readonly maxUnavailable?: IntOrString | undefined;
}

/** The budget of the pods with these labels; undefined where nothing is said. */
export function budgetFor(
  metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
  matchLabels: Readonly<Record<string, string>>,
  budget: DisruptionBudget | undefined,
) {
  if (!budget) return undefined;
  const { minAvailable, maxUnavailable } = budget;
  return {
    metadata,
    spec: {
      selector: { matchLabels },
      ...(minAvailable === undefined ? {} : { minAvailable }),
      ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    },
  } satisfies PodDisruptionBudget;
}
