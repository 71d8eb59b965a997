// What an operator goes through in every run: steps, after each of which everything comes to rest.
import type { KubeObject } from "@kubewright/api";
import { isNotFound } from "@kubewright/api";
import type { TestCluster } from "../test-cluster.js";

/** One thing that people do. */
export interface Step {
  readonly name: string;
  run(cluster: TestCluster): Promise<void>;
  /** Afterwards nothing that the operator made since the beginning may be left. */
  readonly cleansUp?: boolean | undefined;
}

/** The steps of a torture run. */
export interface Scenario {
  readonly steps: readonly Step[];
}

/**
 * Applies objects, lets their pods fail and recover, and deletes the objects again. Objects of custom kinds are deleted; what else is
 * among them, such as a Secret they need, stays to the end.
 *
 * @example await torture({ manager, resources: [ModelBox], scenario: objectsScenario([modelBox]) });
 */
export function objectsScenario(
  objects: readonly KubeObject[],
  isCustom: (object: KubeObject) => boolean = () => true,
): Scenario {
  const named = objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`).join(", ");
  const custom = objects.filter(isCustom);
  return {
    steps: [
      { name: `apply ${named}`, run: (cluster) => applyAll(cluster, objects) },
      {
        name: "pods fail",
        async run(cluster) {
          const failing = cluster.simulate({ namespace: "*" }, { neverReady: true });
          await restartPods(cluster);
          await cluster.advance("60s");
          failing.remove();
          await restartPods(cluster);
        },
      },
      {
        name: `delete ${custom.map(({ kind, metadata }) => `${kind} ${metadata?.name}`).join(", ")}`,
        cleansUp: true,
        run: (cluster) => deleteAll(cluster, custom.toReversed()),
      },
    ],
  };
}

/** The field manager of what people apply. */
export const scenarioManager = "torture";

async function applyAll({ client, namespace }: TestCluster, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const resource = await client.resource({ apiVersion: object.apiVersion ?? "", kind: object.kind ?? "" });
    const place = resource.scope === "Namespaced" ? (object.metadata?.namespace ?? namespace) : undefined;
    const metadata = { ...object.metadata, name: object.metadata?.name ?? "", namespace: place };
    await client.apply(resource, { ...object, metadata }, { fieldManager: scenarioManager, force: true });
  }
}

async function deleteAll({ client, namespace }: TestCluster, objects: readonly KubeObject[]): Promise<void> {
  for (const { apiVersion = "", kind = "", metadata } of objects) {
    const resource = await client.resource({ apiVersion, kind });
    const place = resource.scope === "Namespaced" ? (metadata?.namespace ?? namespace) : undefined;
    await client.delete(resource, metadata?.name ?? "", { namespace: place }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

/** New pods meet the rules of now. */
async function restartPods({ client }: TestCluster): Promise<void> {
  const resource = await client.resource({ apiVersion: "v1", kind: "Pod" });
  const { items } = await client.list(resource);
  for (const { metadata } of items as readonly KubeObject[])
    await client
      .delete(resource, metadata?.name ?? "", { namespace: metadata?.namespace, gracePeriodSeconds: 0 })
      .catch(() => undefined);
}
