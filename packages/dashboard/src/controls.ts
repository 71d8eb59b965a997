// What can be done to a cluster beyond its API. Each is there only where the cluster can do it.
import type { FaultInput } from "./protocol.js";

export interface ClusterControls {
  /** Moves the time of a cluster on a virtual clock forward. */
  advanceTime?(milliseconds: number): Promise<void>;
  /** Lets a simulated node stop answering, or come back. */
  stopNode?(node: string, stopped: boolean): Promise<void>;
  injectFault?(fault: FaultInput): Promise<void>;
  clearFaults?(): Promise<void>;
  /** Remembers the state of the cluster, for `restore`. */
  snapshot?(): Promise<void>;
  restore?(): Promise<void>;
}
