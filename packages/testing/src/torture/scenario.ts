// What an operator goes through in every run: steps, after each of which everything comes to rest.
import type { KubeObject } from "@kubewright/api";
import { isNotFound } from "@kubewright/api";
import type { TestCluster } from "../test-cluster.js";
import type { Duration } from "../test-time.js";

/** An object as it is applied, with the fields that its kind has. */
export type ScenarioObject = KubeObject | (KubeObject & Readonly<Record<string, unknown>>);

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
  /** The objects that state exploration begins with. Default: none, and no state is explored. */
  readonly objects?: readonly ScenarioObject[] | undefined;
}

/** Options of `objectsScenario`. */
export interface ObjectsScenarioOptions {
  /** What some of the objects become later. Default: nothing. */
  readonly changed?: readonly ScenarioObject[] | undefined;
  /** For operators that work by the clock: so much time passes before and after the change, instead of the minute in which pods fail. */
  readonly timePasses?: Duration | undefined;
  /** The objects that are deleted at the end. Default: all; others, such as a Secret that they need, stay. */
  readonly isDeleted?: ((object: KubeObject) => boolean) | undefined;
}

/**
 * Applies objects, lets their pods fail and recover, changes the objects and deletes them. They are what state exploration begins with, too.
 *
 * @example await torture({ manager, resources: [ModelBox], scenario: objectsScenario([modelBox]) });
 */
export function objectsScenario(
  objects: readonly ScenarioObject[],
  { changed = [], timePasses, isDeleted = () => true }: ObjectsScenarioOptions = {},
): Scenario {
  const deleted = objects.filter(isDeleted);
  const wait: Step | undefined =
    timePasses === undefined
      ? undefined
      : { name: `${timePasses} pass`, run: (cluster) => cluster.advance(timePasses) };
  const change: Step = { name: `change ${namesOf(changed)}`, run: (cluster) => applyAll(cluster, changed) };
  return {
    objects,
    steps: [
      { name: `apply ${namesOf(objects)}`, run: (cluster) => applyAll(cluster, objects) },
      wait ?? { name: "pods fail for a minute", run: failPods },
      ...(changed.length > 0 ? [change] : []),
      ...(changed.length > 0 && wait ? [wait] : []),
      {
        name: `delete ${namesOf(deleted)}`,
        cleansUp: true,
        run: (cluster) => deleteAll(cluster, deleted.toReversed()),
      },
    ],
  };
}

const namesOf = (objects: readonly KubeObject[]): string =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`).join(", ");

async function failPods(cluster: TestCluster): Promise<void> {
  const failing = cluster.simulate({ namespace: "*" }, { neverReady: true });
  await restartPods(cluster);
  await cluster.advance("60s");
  failing.remove();
  await restartPods(cluster);
}

/** The field manager of what people apply. */
export const scenarioManager = "torture";

/** Applies objects as people do, in their order. */
export async function applyAll(
  { client, namespace }: TestCluster,
  objects: readonly KubeObject[],
): Promise<void> {
  for (const object of objects) {
    const resource = await client.resource({ apiVersion: object.apiVersion ?? "", kind: object.kind ?? "" });
    const place = resource.scope === "Namespaced" ? (object.metadata?.namespace ?? namespace) : undefined;
    const metadata = { ...object.metadata, name: object.metadata?.name ?? "", namespace: place };
    await client.apply(resource, { ...object, metadata }, { fieldManager: scenarioManager, force: true });
  }
}

/** Leaves nothing in objects that was applied before: server-side apply forgets that an empty list was, and keeps it. */
export async function replaceAll(cluster: TestCluster, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const {
      apiVersion = "",
      kind = "",
      metadata,
      status: _,
      ...fields
    } = object as ScenarioObject & { status?: unknown };
    const resource = await cluster.client.resource({ apiVersion, kind });
    const namespace =
      resource.scope === "Namespaced" ? (metadata?.namespace ?? cluster.namespace) : undefined;
    const json = Object.entries(fields).map(
      ([key, value]) => ({ op: "add", path: `/${key}`, value }) as const,
    );
    await cluster.client.patch(
      resource,
      metadata?.name ?? "",
      { json },
      { namespace, fieldManager: scenarioManager },
    );
  }
}

/** Deletes those of them that are there. */
export async function deleteAll(
  { client, namespace }: TestCluster,
  objects: readonly KubeObject[],
): Promise<void> {
  for (const { apiVersion = "", kind = "", metadata } of objects) {
    const resource = await client.resource({ apiVersion, kind });
    const place = resource.scope === "Namespaced" ? (metadata?.namespace ?? namespace) : undefined;
    await client.delete(resource, metadata?.name ?? "", { namespace: place }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

/** Deletes every pod, so that new ones follow the rules of now. */
export async function restartPods({ client }: TestCluster): Promise<void> {
  const resource = await client.resource({ apiVersion: "v1", kind: "Pod" });
  const { items } = await client.list(resource);
  for (const { metadata } of items as readonly KubeObject[])
    await client
      .delete(resource, metadata?.name ?? "", { namespace: metadata?.namespace, gracePeriodSeconds: 0 })
      .catch(() => undefined);
}
