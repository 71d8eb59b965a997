// A whole cluster in virtual time: after `rest()` everything that could happen has happened, and nothing waits but timers.
import { Deployment, Event, type Pod, Pod as PodKind, ReplicaSet, VirtualClock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { type Cluster, type ClusterOptions, startCluster } from "@kubewright/cluster";
import { expect } from "vitest";

export class VirtualCluster {
  readonly clock: VirtualClock;
  readonly cluster: Cluster;
  readonly client: Client;
  /** What controllers and nodes reported. */
  readonly problems: string[];

  private constructor(clock: VirtualClock, cluster: Cluster, problems: string[]) {
    this.clock = clock;
    this.cluster = cluster;
    this.client = cluster.client;
    this.problems = problems;
  }

  static async start(options: ClusterOptions = {}): Promise<VirtualCluster> {
    const clock = new VirtualClock();
    const problems: string[] = [];
    const onError = (where: string, error: unknown) => problems.push(`${where}: ${error}`);
    const cluster = await startCluster({ clock, onError, ...options });
    await clock.settle();
    return new VirtualCluster(clock, cluster, problems);
  }

  rest(): Promise<void> {
    return this.clock.settle();
  }

  /** Stops, and checks that nothing is left behind and nothing went wrong. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.close();
    expect(this.clock.pending).toBe(0);
    expect(this.clock.inFlight).toEqual([]);
    expect(this.problems).toEqual([]);
  }

  async pods(labelSelector?: string): Promise<readonly Pod[]> {
    return (await this.client.list(PodKind, { namespace: "default", labelSelector })).items;
  }

  async sets(): Promise<readonly ReplicaSet[]> {
    return (await this.client.list(ReplicaSet, { namespace: "default" })).items;
  }

  deployment(name: string): Promise<Deployment> {
    return this.client.get(Deployment, name, { namespace: "default" });
  }

  /** `Reason: message`, in the order they were written. */
  async events(kind: string): Promise<readonly string[]> {
    const { items } = await this.client.list(Event, { namespace: "default" });
    return items
      .filter(({ involvedObject }) => involvedObject.kind === kind)
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ reason, message }) => `${reason}: ${message}`);
  }
}

export interface WebOptions {
  readonly replicas?: number;
  readonly image?: string;
  readonly spec?: Partial<NonNullable<Deployment["spec"]>>;
}

/** A Deployment of web servers. */
export function web({ replicas = 3, image = "web:1", spec = {} }: WebOptions = {}): Deployment {
  return {
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image }] },
      },
      ...spec,
    },
  };
}

/** Changes the image of the only container. */
export const withImage = (image: string) => ({
  strategic: { spec: { template: { spec: { containers: [{ name: "web", image }] } } } },
});
