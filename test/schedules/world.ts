// An API server without controllers of its own, and a manager, on a clock that a test can move and set.
import { CustomResourceDefinition, type KubeObject, VirtualClock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { type ControllerDefinition, defineManager, startManager } from "@kubewright/runtime";

export interface ServerOptions {
  readonly start: number;
  readonly kinds: readonly { crd(): CustomResourceDefinition }[];
}

export interface Server extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly cluster: Cluster;
  /** Waits for what needs time to pass. */
  run<T>(work: Promise<T>): Promise<T>;
}

/** The server alone, with these kinds. */
export async function startServer({ start, kinds }: ServerOptions): Promise<Server> {
  const clock = new VirtualClock({ start });
  const run = <T>(work: Promise<T>): Promise<T> => clock.runUntilSettled(work);
  const cluster = await run(startCluster({ clock, seed: "schedules", nodes: 0, controllers: "none" }));
  const { client } = cluster;
  for (const kind of kinds) await run(client.create(CustomResourceDefinition, kind.crd()));
  await clock.advance(1_000);
  return { clock, client, cluster, run, [Symbol.asyncDispose]: () => run(cluster.close()) };
}

export interface WorldOptions extends ServerOptions {
  readonly controllers: readonly ControllerDefinition[];
  /** What is there before the manager starts. */
  readonly objects?: (client: Client) => Promise<KubeObject | void>;
}

export interface World extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly client: Client;
  /** What controllers failed at. */
  readonly errors: readonly unknown[];
}

export async function startWorld({ controllers, objects, ...options }: WorldOptions): Promise<World> {
  const server = await startServer(options);
  const { clock, client, cluster, run } = server;
  if (objects) await run(objects(client));
  const errors: unknown[] = [];
  const manager = await run(
    startManager(defineManager({ name: "test", controllers }), {
      client: cluster.connect({ userAgent: "test", fieldManager: "test" }),
      clock,
      onError: (_where, error) => errors.push(error),
    }),
  );
  return {
    clock,
    client,
    errors,
    async [Symbol.asyncDispose]() {
      await run(manager.close());
      await server[Symbol.asyncDispose]();
    },
  };
}
