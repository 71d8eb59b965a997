// What clients want of a running pod, answered by its node: logs, programs, ports.
import type { Clock, TransportResponse } from "@kubewright/api";
import type { PodConnection } from "@kubewright/apiserver";
import type { CachedClient } from "@kubewright/runtime";
import type { ContainerRuntime } from "./container-runtime.js";
import { podLog } from "./pod-log.js";

/** What the node answers with. */
export interface ConnectionMeans {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly client: CachedClient;
}

/** Answers; undefined for what the node cannot do. */
export async function podConnection(
  connection: PodConnection,
  { runtime, clock }: ConnectionMeans,
): Promise<TransportResponse | undefined> {
  if (connection.action === "log") return podLog(connection, runtime, clock);
  return undefined;
}
