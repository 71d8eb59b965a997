// The way from the operator to the members: one client for each pod, kept between reconciles. Inside a cluster it is the pod's address;
// outside it is a port-forward through the API server.
import { connect as connectTcp } from "node:net";
import type { Duplex } from "node:stream";
import type { Pod } from "@kubewright/api";
import type { ClientTls, EtcdClient } from "./etcd-client.js";
import { type Deadlines, NetworkEtcd } from "./network-etcd.js";

/** A pod to call. */
export interface AccessTarget {
  readonly pod: Pod;
  /** The uid of its volume claim, under which a model keeps its data. */
  readonly volume: string | undefined;
  /** The name its certificate is good for. */
  readonly host: string;
  readonly tls: ClientTls | undefined;
  /** Opens a connection through the API server. */
  readonly forward: (pod: string, port: number) => Promise<Duplex>;
}

export interface EtcdAccess {
  /** True for a model in place of etcd; the status of every cluster says so. */
  readonly isModel: boolean;
  member(target: AccessTarget): EtcdClient;
  /** Closes the clients of a cluster but for those of these pods. */
  keepOnly(cluster: string, pods: readonly Pod[]): void;
}

export interface NetworkAccessOptions {
  /** `direct` for an operator in a pod of the cluster, which reaches the addresses of others. */
  readonly path: "direct" | "forward";
  readonly deadlines?: Partial<Deadlines> | undefined;
}

const ports = { client: 2379, metrics: 2381 } as const;
/** A member that does not answer by then counts as away; the next reconcile asks again. */
const deadlines: Deadlines = { call: 3_000, defragment: 120_000, snapshot: 30 * 60_000 };

/** A client that nobody asked for in so long, in milliseconds, is of a cluster that was deleted. */
const longestIdle = 10 * 60_000;

interface Kept {
  target: AccessTarget;
  usedAt: number;
  readonly client: NetworkEtcd;
  readonly tlsKey: string;
  readonly cluster: string;
}

export class NetworkAccess implements EtcdAccess {
  readonly isModel = false;
  readonly #options: NetworkAccessOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: NetworkAccessOptions) {
    this.#options = options;
  }

  member(target: AccessTarget): EtcdClient {
    const uid = target.pod.metadata?.uid ?? "";
    const tlsKey = target.tls ? `${target.tls.ca}${target.tls.certificate ?? ""}` : "";
    const known = this.#kept.get(uid);
    if (known?.tlsKey === tlsKey) {
      known.target = target;
      known.usedAt = performance.now();
      return known.client;
    }
    known?.client.close();
    const kept: Kept = {
      target,
      usedAt: performance.now(),
      tlsKey,
      cluster: clusterOf(target.pod),
      client: new NetworkEtcd(
        {
          what: `${target.pod.metadata?.namespace}/${target.pod.metadata?.name}`,
          open: (port) => this.#open(kept.target, port),
          clientPort: ports.client,
          metricsPort: ports.metrics,
          tls: target.tls && { ...target.tls, serverName: target.host },
        },
        { ...deadlines, ...this.#options.deadlines },
      ),
    };
    this.#kept.set(uid, kept);
    return kept.client;
  }

  keepOnly(cluster: string, pods: readonly Pod[]): void {
    const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
    for (const [uid, kept] of this.#kept) {
      const isIdle = performance.now() - kept.usedAt > longestIdle;
      if (!isIdle && (kept.cluster !== cluster || uids.has(uid))) continue;
      kept.client.close();
      this.#kept.delete(uid);
    }
  }

  close(): void {
    for (const { client } of this.#kept.values()) client.close();
    this.#kept.clear();
  }

  #open({ pod, forward }: AccessTarget, port: number): Promise<Duplex> {
    const { name = "" } = pod.metadata ?? {};
    const address = pod.status?.podIP;
    if (this.#options.path === "forward") return forward(name, port);
    if (!address) return Promise.reject(new Error(`pod ${name} has no address`));
    return new Promise((resolve, reject) => {
      const socket = connectTcp({ host: address, port });
      socket.once("connect", () => resolve(socket));
      socket.once("error", reject);
    });
  }
}

/** The cluster of a pod, as `keepOnly` names it. */
export const clusterOf = ({ metadata }: Pod): string =>
  `${metadata?.namespace}/${metadata?.labels?.["etcd.database.coreos.com/cluster"]}`;
