// The backend of a test: an embedded cluster in virtual or real time, or a cluster that runs already.
import type { Client } from "@kubewright/client";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { LocalWebhooks } from "./local-webhooks.js";
import type { Connect, TestClusterOptions } from "./test-cluster-options.js";
import { RealTime, type TestTime, VirtualTime } from "./test-time.js";

/** The seed of suites that choose none: a failure is the same for everyone. */
export const fixedSeed = "kubewright";

export interface Backend {
  readonly client: Client;
  readonly connect: Connect;
  readonly time: TestTime;
  readonly embedded: Cluster | undefined;
  readonly namespace: string;
  /** The registry through which webhooks are called; undefined where they need a socket. */
  readonly webhooks: LocalWebhooks | undefined;
}

export async function startBackend(options: TestClusterOptions): Promise<Backend> {
  if (options.connect) return running(options.connect, options);
  const time = options.clock === "real" ? new RealTime({ interval: 10, timeout: 5_000 }) : new VirtualTime();
  const { nodes, rules, seed = fixedSeed, namespace = "default" } = options;
  const webhooks = new LocalWebhooks();
  const { resolve: resolveService } = webhooks;
  const embedded = await time.run(
    startCluster({ resolveService, ...options.cluster, clock: time.clock, seed, nodes, rules }),
  );
  const connect: Connect = (settings) => embedded.connect(settings);
  return { client: embedded.client, connect, time, embedded, namespace, webhooks };
}

function running(connect: Connect, options: TestClusterOptions): Backend {
  if (options.clock === "virtual") throw new TypeError("the time of a cluster that runs already is real");
  const time = new RealTime({ interval: 200, timeout: 60_000 });
  // Two runs at once, of two people perhaps, must not meet.
  const namespace = options.namespace ?? `kubewright-test-${time.clock.now().toString(36)}`;
  return { client: connect({}), connect, time, embedded: undefined, namespace, webhooks: undefined };
}
