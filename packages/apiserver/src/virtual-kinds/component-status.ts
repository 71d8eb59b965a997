// ComponentStatus: the health of the control plane, computed on each read and never stored.

import { notFound, type StoredObject } from "@kubewright/kinds";
import type { ResourceBehaviour } from "../registry/built-in-resources.js";

/** A part of the control plane, as it is now. */
export interface ControlPlanePart {
  readonly name: string;
  readonly isHealthy: boolean;
  /** The component's answer to the health check, or the error. */
  readonly message: string;
}

/** The component statuses of a server without a control plane: only its store is healthy. */
export const loneServer = (): readonly ControlPlanePart[] => [
  unreachablePart("controller-manager", 10257),
  unreachablePart("scheduler", 10259),
  { name: "etcd-0", isHealthy: true, message: "ok" },
];

/** A component that does not run, with the message of kube-apiserver, which probes it on this machine. */
export function unreachablePart(name: string, port: number): ControlPlanePart {
  const address = `127.0.0.1:${port}`;
  const message = `Get "https://${address}/healthz": dial tcp ${address}: connect: connection refused`;
  return { name, isHealthy: false, message };
}

export const componentStatuses = (parts: () => readonly ControlPlanePart[]): ResourceBehaviour => ({
  resource: "componentstatuses",
  observed: {
    list: () => parts().map(statusOf),
    get: (_context, name) => {
      const part = parts().find((each) => each.name === name);
      if (!part) throw notFound({ group: "", resource: "componentstatus", name });
      return statusOf(part);
    },
  },
});

const statusOf = ({ name, isHealthy, message }: ControlPlanePart): StoredObject => ({
  kind: "ComponentStatus",
  apiVersion: "v1",
  // Neither is printed: it never was anywhere.
  metadata: { name } as StoredObject["metadata"],
  conditions: [{ type: "Healthy", status: isHealthy ? "True" : "False", message }],
});
