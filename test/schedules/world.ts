// An API server without controllers of its own, and a manager, on a clock that a test can move and set.
import { CustomResourceDefinition, type KubeObject, VirtualClock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { startCluster } from "@kubewright/cluster";
import { type ControllerDefinition, defineManager, startManager } from "@kubewright/runtime";

export interface World extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly client: Client;
  /** What controllers failed at. */
  readonly errors: readonly unknown[];
}

export interface WorldOptions {
  readonly start: number;
  readonly kinds: readonly { crd(): CustomResourceDefinition }[];
  readonly controllers: readonly ControllerDefinition[];
  /** What is there before the manager starts. */
  readonly objects?: (client: Client) => Promise<KubeObject | void>;
}

export async function startWorld({ start, kinds, controllers, objects }: WorldOptions): Promise<World> {
  const clock = new VirtualClock({ start });
  const run = <T>(work: Promise<T>): Promise<T> => clock.runUntilSettled(work);
  const cluster = await run(startCluster({ clock, seed: "schedules", nodes: 0, controllers: [] }));
  const { client } = cluster;
  for (const kind of kinds) await run(client.create(CustomResourceDefinition, kind.crd()));
  await clock.advance(1_000);
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
      await run(cluster.close());
    },
  };
}
