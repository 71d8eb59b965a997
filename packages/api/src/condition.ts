// Conditions in a status: each type once, with the time its status last changed. Lists are never changed; one that
// already says the same is returned as it is, so a status can be compared by reference.
import type { Condition } from "./generated/meta-v1.js";
import { formatTime } from "./timestamp.js";

/** The new state of one condition. Default of the transition time: computed from the condition before. */
export interface ConditionUpdate {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** One word in CamelCase, for programs. */
  readonly reason: string;
  /** A sentence, for people. */
  readonly message?: string | undefined;
  /** The generation this was observed for; leave it out and the condition has none. */
  readonly observedGeneration?: number | undefined;
  readonly lastTransitionTime?: string | undefined;
}

/** The fields every kind of condition has, also those with fields of their own (`lastProbeTime`). */
interface AnyCondition {
  readonly type: string;
  readonly status: string;
}

/**
 * The list with this condition in it. The transition time moves only when the status does. `now` is milliseconds since
 * 1970, from a clock.
 *
 * @example
 * setCondition(status.conditions, { type: "Ready", status: "True", reason: "AllUp", observedGeneration: 3 }, clock.now());
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  update: ConditionUpdate,
  now: number,
): readonly Condition[] {
  const list = conditions ?? [];
  const at = list.findIndex(({ type }) => type === update.type);
  const existing = list[at];
  const { type, status, reason, message = "", observedGeneration } = update;
  const isSteady = existing?.status === status;
  if (
    isSteady &&
    existing.reason === reason &&
    existing.message === message &&
    existing.observedGeneration === observedGeneration
  ) {
    return list;
  }
  const condition: Condition = {
    type,
    status,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: isSteady
      ? existing.lastTransitionTime
      : (update.lastTransitionTime ?? formatTime(now)),
    reason,
    message,
  };
  return existing ? list.with(at, condition) : [...list, condition];
}

/** The condition of that type, if there is one. */
export function findCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** True when the condition is present and `True`. */
export function isConditionTrue(conditions: readonly AnyCondition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** True when the condition is present and `False`; an unknown or absent one is not. */
export function isConditionFalse(conditions: readonly AnyCondition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "False";
}

/** The list without the condition of that type. */
export function removeCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  const list = conditions ?? [];
  const kept = list.filter((condition) => condition.type !== type);
  return kept.length === list.length ? list : kept;
}
