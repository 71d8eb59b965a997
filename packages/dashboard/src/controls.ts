// What can be done to a cluster beyond its API. Each is there only where the cluster can do it.
import type { ClusterControls as EmbeddedControls } from "@kubewright/cluster";

/** The controls of the cluster that the dashboard offers; those that are missing are not shown. */
export type ClusterControls = Partial<EmbeddedControls>;
