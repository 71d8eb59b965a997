// A running manager: shared informers, controllers on top, started and stopped in order.
import { type Clock, type KubeObject, type ResourceDescriptor, systemClock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { Controller } from "../controller/controller.js";
import type { AnyResource } from "../controller/define-controller.js";
import { Informer } from "../informer/informer.js";
import type { ManagerDefinition } from "./define-manager.js";

export interface StartOptions {
  readonly client: Client;
  readonly clock?: Clock | undefined;
  /** Hears what went wrong; without it, failures are only retried. */
  readonly onError?: ((where: string, error: unknown) => void) | undefined;
}

export interface RunningManager {
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a manager; resolves when its caches are filled and its controllers work. */
export async function startManager(
  definition: ManagerDefinition,
  options: StartOptions,
): Promise<RunningManager> {
  const clock = options.clock ?? systemClock;
  const report = options.onError ?? (() => undefined);
  const informers = new Map<AnyResource, Informer<KubeObject>>();
  const informer = (resource: AnyResource): Informer<KubeObject> => {
    let found = informers.get(resource);
    if (!found) {
      found = new Informer({
        client: options.client,
        resource: resource as ResourceDescriptor<KubeObject>,
        clock,
        onError: (error) => report(`watch ${resource.kind}`, error),
      });
      informers.set(resource, found);
      found.start();
    }
    return found;
  };
  const controllers = definition.controllers.map(
    (controller) =>
      new Controller(controller, {
        client: options.client,
        clock,
        fieldManager: definition.name,
        informer,
        onError: (name, key, error) => report(`${name} ${key}`, error),
      }),
  );
  await Promise.all(controllers.map((controller) => controller.start()));
  const close = async (): Promise<void> => {
    await Promise.all(controllers.map((controller) => controller.close()));
    await Promise.all([...informers.values()].map((running) => running.close()));
  };
  return { close, [Symbol.asyncDispose]: close };
}
