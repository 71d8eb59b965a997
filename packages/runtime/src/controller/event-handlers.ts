// The event handlers that fill a controller's queue: changes of its own objects, of their children, of what it watches, and outside sources.
import type { Clock, KubeObject } from "@kubewright/api";
import { parseApiVersion } from "@kubewright/api";
import type { ObjectChange } from "../informer/delta-queue.js";
import type { WorkQueue } from "../queue/work-queue.js";
import type { ControllerCaches } from "./caches.js";
import { indexName } from "./declared-kinds.js";
import type { ControllerDefinition } from "./define-controller.js";
import type { AnyResource } from "./kinds.js";
import { generationChanged, type Predicate } from "./predicates.js";
import { keepRunning, keyed } from "./sources.js";
import { keyOfTarget, type OwnObjects } from "./watches.js";

export interface EventHandlerOptions {
  readonly definition: ControllerDefinition;
  readonly caches: ControllerCaches;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly onError: (where: string, error: unknown) => void;
}

/** Starts to fill the queue, with everything there is and then with what changes. Returns how to end it. */
export function startEventHandlers(options: EventHandlerOptions): () => Promise<void> {
  const { definition, caches, queue } = options;
  const { resource } = definition;
  const own = ownObjects(options);
  const ends = [
    caches.main.onChange(when(definition.when, (change) => enqueue(queue, change.key, resource, change))),
    ...definition.owns.map((entry, index) =>
      caches.owned[index]?.onChange(
        when(entry.when, (change) => {
          for (const key of ownersOf(change, resource)) enqueue(queue, key, entry.resource, change);
        }),
      ),
    ),
    ...definition.watches.map(({ resource: kind, settings }, index) =>
      caches.watched[index]?.onChange(
        when(settings.when, (change) => {
          for (const key of targetsOf(change, (object) => settings.targets(object, own).map(keyOfTarget)))
            enqueue(queue, key, kind, change);
        }),
      ),
    ),
  ];
  const stopSources = startSources(options, own);
  return async () => {
    for (const end of ends) end?.();
    await stopSources();
  };
}

type Handler = (change: ObjectChange<KubeObject>) => void;

function when(predicate: Predicate | undefined, handle: Handler): Handler {
  return predicate ? (change) => (predicate(change) ? handle(change) : undefined) : handle;
}

function enqueue(queue: WorkQueue, key: string, kind: AnyResource, change: ObjectChange<KubeObject>): void {
  const verb = change.previous ? (change.current ? " changed" : " deleted") : " added";
  queue.add(key, {
    priority: change.initial ? "background" : "fresh",
    reason: `${kind.kind} ${change.key}${verb}`,
    // News that may end a row of failures. Our own writes, and a status that moves, do not.
    urgent: !change.initial && change.origin !== "write" && generationChanged(change),
  });
}

/** Keys found for the object before or after the change. */
function targetsOf(
  { previous, current }: ObjectChange<KubeObject>,
  keysOf: (object: KubeObject) => readonly string[],
): Set<string> {
  return new Set([...(previous ? keysOf(previous) : []), ...(current ? keysOf(current) : [])]);
}

/** Keys of the objects of a kind that control the changed one, before or after. */
function ownersOf(change: ObjectChange<KubeObject>, owner: AnyResource): Set<string> {
  return targetsOf(change, ({ metadata }) => {
    const controller = metadata?.ownerReferences?.find((reference) => reference.controller);
    if (controller?.kind !== owner.kind) return none;
    if (parseApiVersion(controller.apiVersion)?.group !== owner.group) return none;
    const isNamespaced = owner.scope === "Namespaced" && metadata?.namespace;
    return [isNamespaced ? `${metadata.namespace}/${controller.name}` : controller.name];
  });
}

const none: readonly string[] = [];

function ownObjects({ definition, caches }: EventHandlerOptions): OwnObjects {
  const { store } = caches.main;
  return {
    byIndex: (index, value) => store.byIndex(indexName(definition.name, index), value),
    all: () => store.values(),
  };
}

function startSources({ definition, queue, clock, onError }: EventHandlerOptions, own: OwnObjects) {
  const stop = new AbortController();
  const add = keyed((key, reason, priority) => queue.add(key, { reason, priority, urgent: true }));
  const running = (definition.sources ?? []).map((source) =>
    keepRunning(source, {
      clock,
      own,
      signal: stop.signal,
      enqueue: add,
      report: (error) => onError(`source ${source.name}`, error),
    }),
  );
  return async (): Promise<void> => {
    stop.abort(new Error("the controller stops"));
    await Promise.all(running);
  };
}
