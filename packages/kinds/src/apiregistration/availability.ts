// The Available condition of APIServices.
import { type APIServiceCondition, deepEqual } from "@kubewright/api";

/** The Available condition without its transition time. */
export type Availability = Pick<APIServiceCondition, "status" | "reason" | "message">;

/** A local APIService is always available. */
export const localAvailability: Availability = {
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};

/** The conditions with Available set; the same list where that changes nothing. */
export function withAvailability(
  conditions: readonly APIServiceCondition[],
  availability: Availability,
  now: string,
): readonly APIServiceCondition[] {
  const before = conditions.find(({ type }) => type === "Available");
  const lastTransitionTime =
    before?.status === availability.status ? (before.lastTransitionTime ?? now) : now;
  const next: APIServiceCondition = { lastTransitionTime, ...availability, type: "Available" };
  if (deepEqual(before, next)) return conditions;
  return before ? conditions.map((each) => (each === before ? next : each)) : [...conditions, next];
}
