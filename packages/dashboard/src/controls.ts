// What can be done to a cluster beyond its API. Each is there only where the cluster can do it.
import type { ClusterControls as EmbeddedControls } from "@kubewright/cluster";

export type ClusterControls = Partial<EmbeddedControls>;
