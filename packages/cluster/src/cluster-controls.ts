// Controls of a running cluster beyond its API, for the dashboard and for callers in another thread.
import { AdjustableClock, type Clock, systemClock } from "@kubewright/api";
import type { StorageContents } from "@kubewright/apiserver";
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

/** The state of a cluster at one moment, kept in its process. */
export interface SnapshotInfo {
  readonly name: string;
  /** RFC 3339, on the cluster's clock. */
  readonly time: string;
  readonly objects: number;
}

/** What can be done to an embedded cluster beyond its API: time, nodes, faults, snapshots. */
export interface ClusterControls {
  /** Moves the time of the cluster forward; there only on a clock that can be moved. */
  advanceTime?(milliseconds: number): Promise<void>;
  /** Stops the heartbeats of a simulated node, or resumes them. */
  stopNode(node: string, stopped: boolean): Promise<void>;
  injectFault(fault: FaultInput): Promise<void>;
  clearFaults(): Promise<void>;
  /** Keeps all objects of now under a name. The twenty latest snapshots are kept. */
  takeSnapshot(name: string): Promise<void>;
  /** Brings all objects back to a snapshot; time goes on. */
  restoreSnapshot(name: string): Promise<void>;
  /** The oldest first. */
  snapshots(): Promise<readonly SnapshotInfo[]>;
}

const keptSnapshots = 20;

/** Returns what the dashboard can do to an embedded cluster: move its clock, stop nodes, let requests fail, keep snapshots. */
export function clusterControls(cluster: Cluster, clock?: Clock): ClusterControls {
  const stopped = new Map<string, RuleHandle>();
  const faults: { remove(): void }[] = [];
  const snapshots = new Map<string, SnapshotInfo & { readonly contents: StorageContents }>();
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
    async takeSnapshot(name) {
      const contents = cluster.contents();
      const time = new Date((clock ?? systemClock).now()).toISOString();
      snapshots.delete(name);
      snapshots.set(name, { name, time, objects: [...contents.rows].length, contents });
      const [oldest] = snapshots.keys();
      if (oldest !== undefined && snapshots.size > keptSnapshots) snapshots.delete(oldest);
    },
    async restoreSnapshot(name) {
      const snapshot = snapshots.get(name);
      if (!snapshot) throw new Error(`there is no snapshot "${name}"`);
      cluster.restore(snapshot.contents);
    },
    snapshots: async () => Array.from(snapshots.values(), ({ contents: _, ...info }) => info),
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
