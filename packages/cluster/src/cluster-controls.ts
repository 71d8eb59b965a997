// Controls of a running cluster beyond its API, for the dashboard and for callers in another thread.
import { AdjustableClock, type Clock } from "@kubewright/api";
import { dashboardUserAgent } from "@kubewright/client";
import type { Cluster } from "./cluster.js";
import type { RequestAttributes } from "./faults/request-attributes.js";
import { rule } from "./nodes/rules/check-rule.js";
import type { RuleHandle } from "./nodes/rules/rule.js";

/** Requests that fail on purpose. */
export interface FaultInput {
  /** `*` for every verb. */
  readonly verb: string;
  /** In the plural, with a subresource after a slash; `*` for every resource. */
  readonly resource: string;
  readonly status: number;
  /** Of a hundred requests, so many fail. */
  readonly percent: number;
}

export interface ClusterControls {
  /** Moves the time of the cluster forward; there only on a clock that can be moved. */
  advanceTime?(milliseconds: number): Promise<void>;
  /** Stops the heartbeats of a simulated node, or resumes them. */
  stopNode(node: string, stopped: boolean): Promise<void>;
  injectFault(fault: FaultInput): Promise<void>;
  clearFaults(): Promise<void>;
}

export function clusterControls(cluster: Cluster, clock?: Clock): ClusterControls {
  const stopped = new Map<string, RuleHandle>();
  const faults: { remove(): void }[] = [];
  return {
    ...(clock instanceof AdjustableClock && {
      advanceTime: (milliseconds: number) => clock.advance(milliseconds),
    }),
    async stopNode(node, isStopped) {
      stopped.get(node)?.remove();
      stopped.delete(node);
      if (isStopped) stopped.set(node, cluster.simulate(rule({ node }, { nodeDown: true })));
    },
    async injectFault(fault) {
      const failure = { code: fault.status, message: "failed on purpose" };
      faults.push(cluster.faults.fail(meantBy(fault), failure, { times: Number.POSITIVE_INFINITY }));
    },
    async clearFaults() {
      for (const fault of faults.splice(0)) fault.remove();
    },
  };
}

function meantBy({ verb, resource, percent }: FaultInput): (request: RequestAttributes) => boolean {
  return (request) => {
    const name =
      request.subresource === undefined ? request.resource : `${request.resource}/${request.subresource}`;
    return (
      !request.isOwn &&
      !request.client.startsWith(dashboardUserAgent) &&
      (verb === "*" || verb === request.verb) &&
      (resource === "*" || resource === name) &&
      Math.random() * 100 < percent
    );
  };
}
