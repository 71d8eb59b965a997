// Waits until an object meets a condition, by watching it. Nothing is polled.
import {
  type Clock,
  isGone,
  type KubeObject,
  type ResourceDescriptor,
  sleep,
  systemClock,
} from "@kubewright/api";
import { isTransient } from "../call.js";
import type { Client } from "../client.js";
import { withinBounds } from "../deadline.js";
import type { SelectionOptions } from "../options.js";
import { describeTarget } from "../resource-path.js";

/** Where the object is, and how long `waitFor` waits for it. */
export interface WaitOptions {
  readonly namespace?: string | undefined;
  /** Gives up with a TimeoutError after this many milliseconds. Default: a minute. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

/** Decides whether the wait is over; the object is undefined while there is none. */
export type WaitCondition<T> = (object: T | undefined) => boolean;

/**
 * Resolves with the object once `condition` is true of it, or with undefined when it is true of its absence.
 *
 * @example
 * await waitFor(client, Deployment, "web", hasCondition("Available"), { namespace: "shop" });
 * await waitFor(client, Pod, "job-1", isAbsent, { namespace: "shop" });
 */
export function waitFor<T extends KubeObject, Input>(
  client: Client,
  resource: ResourceDescriptor<T, Input>,
  name: string,
  condition: WaitCondition<NoInfer<T>>,
  options: WaitOptions = {},
): Promise<T | undefined> {
  const { namespace, timeout = 60_000, signal, clock = systemClock } = options;
  const late = `wait for ${describeTarget({ resource, namespace, name })}: condition not met`;
  return withinBounds(clock, { signal, timeout }, late, async (bound) => {
    const selection = { namespace, fieldSelector: `metadata.name=${name}`, signal: bound };
    for (;;) {
      const found = await observe(client, resource, selection, condition);
      if (found) return found.object;
      await sleep(clock, pause, bound);
    }
  });
}

/** True of an object whose condition of that type has status True. */
export function hasCondition(type: string): WaitCondition<KubeObject & WithConditions> {
  return (object) =>
    object?.status?.conditions?.some((condition) => condition.type === type && condition.status === "True") ??
    false;
}

/** True while there is no such object. */
export function isAbsent(object: unknown): boolean {
  return object === undefined;
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly ConditionLike[] | undefined } | undefined;
}

/** Built-in kinds have condition types of their own; these two fields are common to all. */
interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

/** Between a watch that ended and the next. */
const pause = 200;

/** Looks once and then follows changes, until the condition is true or the watch ends. */
async function observe<T, Input>(
  client: Client,
  resource: ResourceDescriptor<T, Input>,
  selection: SelectionOptions,
  condition: WaitCondition<T>,
): Promise<{ readonly object: T | undefined } | undefined> {
  try {
    const { items, metadata } = await client.list(resource, selection);
    if (condition(items[0])) return { object: items[0] };
    const { resourceVersion } = metadata;
    const options = { ...selection, resourceVersion, allowWatchBookmarks: true };
    for await (const { type, object } of client.watch(resource, options)) {
      const present = type === "DELETED" ? undefined : object;
      if (type !== "BOOKMARK" && condition(present)) return { object: present };
    }
  } catch (error) {
    if (!isGone(error) && !isTransient(error)) throw error;
  }
  return undefined;
}
