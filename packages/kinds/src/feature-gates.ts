// Features that Kubernetes 1.36 has and leaves off, as far as there is something behind them here.

/** By the names of `--feature-gates`. */
export const featureGates = ["MaxUnavailableStatefulSet"] as const;

export type FeatureGate = (typeof featureGates)[number];
