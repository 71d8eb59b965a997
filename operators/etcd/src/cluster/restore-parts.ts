import type { PodSpec } from "@kubewright/api";

/** The containers and volumes that fill the volume of the first member from a snapshot. */
export type RestoreParts = Pick<PodSpec, "initContainers" | "volumes">;
