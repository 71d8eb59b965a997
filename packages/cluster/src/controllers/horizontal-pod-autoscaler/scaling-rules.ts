// The limits on an autoscaler's speed and range: stabilization by recent proposals, scaling policies over recent changes, and
// the bounds.
import type { HorizontalPodAutoscaler, HPAScalingRules } from "@kubewright/api";

type Behavior = NonNullable<HorizontalPodAutoscaler["spec"]["behavior"]>;

interface At {
  readonly time: number;
  readonly replicas: number;
}

/** The past proposals and changes of an autoscaler. */
export interface ScalingHistory {
  readonly proposals: readonly At[];
  /** How many replicas were added, and when. */
  readonly added: readonly At[];
  readonly removed: readonly At[];
}

/** The reason and message of a condition. */
export interface ConditionText {
  readonly reason: string;
  readonly message: string;
}

export interface LimitedReplicas {
  readonly replicas: number;
  readonly stabilized: ConditionText;
  readonly isLimited: boolean;
  readonly limit: ConditionText;
}

export interface ScalingRequest {
  readonly behavior: Behavior | undefined;
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly history: ScalingHistory;
  readonly now: number;
}

const downStabilization = 300;
const everyQuarterMinute = 15;

const defaultUp: Required<Omit<HPAScalingRules, "tolerance">> = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: everyQuarterMinute },
    { type: "Percent", value: 100, periodSeconds: everyQuarterMinute },
  ],
};
const defaultDown: Required<Omit<HPAScalingRules, "tolerance">> = {
  stabilizationWindowSeconds: downStabilization,
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: everyQuarterMinute }],
};

const ready: ConditionText = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const heldDown: ConditionText = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const heldUp: ConditionText = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const within: ConditionText = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
};
const tooFast: ConditionText = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const tooMany: ConditionText = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const tooFastDown: ConditionText = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};
const tooFew: ConditionText = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};

/** The number of replicas that may be set now. */
export function limitReplicas(request: ScalingRequest): LimitedReplicas {
  const stable = request.behavior ? stabilizeBoth(request) : stabilizeDown(request);
  const { desired, current } = request;
  const held = desired >= current && request.behavior ? heldDown : heldUp;
  const limited = request.behavior
    ? limitByRules({ ...request, desired: stable })
    : limitPlainly({ ...request, desired: stable });
  return {
    replicas: limited.replicas,
    stabilized: stable === desired ? ready : held,
    isLimited: limited.replicas !== stable,
    limit: limited.condition,
  };
}

const since = (history: readonly At[], from: number): readonly number[] =>
  history.filter(({ time }) => time > from).map(({ replicas }) => replicas);

function stabilizeDown({ desired, history, now }: ScalingRequest): number {
  return Math.max(desired, ...since(history.proposals, now - downStabilization * 1000 - 1));
}

/** Between the lowest of the recent proposals to grow and the highest of those to shrink. */
function stabilizeBoth({ behavior, current, desired, history, now }: ScalingRequest): number {
  const up = behavior?.scaleUp?.stabilizationWindowSeconds ?? defaultUp.stabilizationWindowSeconds ?? 0;
  const down = behavior?.scaleDown?.stabilizationWindowSeconds ?? downStabilization;
  const lowest = Math.min(desired, ...since(history.proposals, now - up * 1000));
  const highest = Math.max(desired, ...since(history.proposals, now - down * 1000));
  return Math.min(Math.max(current, lowest), highest);
}

interface Limited {
  readonly replicas: number;
  readonly condition: ConditionText;
}

/** Without rules of its own: twice as many, or four, at a time. */
function limitPlainly({ current, desired, min, max }: ScalingRequest): Limited {
  const fastest = Math.max(2 * current, 4);
  const most = Math.min(max, fastest);
  if (desired < min) return { replicas: min, condition: tooFew };
  if (desired > most) return { replicas: most, condition: max > fastest ? tooFast : tooMany };
  return { replicas: desired, condition: within };
}

function limitByRules(request: ScalingRequest): Limited {
  const { current, desired, min, max } = request;
  if (desired > current) {
    const fastest = Math.max(current, rateLimit(request, "up"));
    const most = Math.min(max, fastest);
    if (desired > most) return { replicas: most, condition: max > fastest ? tooFast : tooMany };
  } else if (desired < current) {
    const fastest = Math.min(current, rateLimit(request, "down"));
    const least = Math.max(min, fastest);
    if (desired < least) return { replicas: least, condition: min < fastest ? tooFastDown : tooFew };
  }
  return { replicas: desired, condition: within };
}

/** How far the policies let the number go, counted from what it was when each one's period began. */
function rateLimit({ behavior, current, history, now }: ScalingRequest, direction: "up" | "down"): number {
  const isUp = direction === "up";
  const rules = isUp ? behavior?.scaleUp : behavior?.scaleDown;
  const fallback = isUp ? defaultUp : defaultDown;
  const select = rules?.selectPolicy ?? "Max";
  if (select === "Disabled") return current;
  const proposals = (rules?.policies ?? fallback.policies ?? []).map(({ type, value, periodSeconds }) => {
    const from = now - periodSeconds * 1000;
    const total = (of: readonly At[]): number => since(of, from).reduce((sum, one) => sum + one, 0);
    const start = current - total(history.added) + total(history.removed);
    if (type === "Pods") return isUp ? start + value : start - value;
    return isUp ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
  });
  const takesHighest = isUp === (select === "Max");
  return takesHighest ? Math.max(...proposals) : Math.min(...proposals);
}

/** The history with what was just proposed and done; what no rule looks back to is dropped. */
export function remember(
  history: ScalingHistory,
  {
    desired,
    current,
    replicas,
  }: { readonly desired: number | undefined; readonly current: number; readonly replicas: number },
  now: number,
): ScalingHistory {
  const recent = (of: readonly At[]): readonly At[] => of.filter(({ time }) => time > now - longestWindow);
  const change = replicas - current;
  return {
    proposals:
      desired === undefined
        ? recent(history.proposals)
        : [...recent(history.proposals), { time: now, replicas: desired }],
    added: change > 0 ? [...recent(history.added), { time: now, replicas: change }] : recent(history.added),
    removed:
      change < 0 ? [...recent(history.removed), { time: now, replicas: -change }] : recent(history.removed),
  };
}

/** No window and no period may be longer than this. */
const longestWindow = 3_600_000;
