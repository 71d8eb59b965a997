// The condition of a ModelBox about policies that cannot be read: they may select it or not.
import { type ConditionUpdate, isConditionFalse } from "@kubewright/api";
import type { ModelBox } from "../api/v1/model-box.js";
import type { ModelBoxPolicy } from "../api/v1/model-box-policy.js";
import { selectorError } from "./policies.js";

const type = "PoliciesApplied";

/** Undefined while all can be read, and always could. */
export function policyCondition(
  { status }: ModelBox,
  policies: readonly ModelBoxPolicy[],
): ConditionUpdate | undefined {
  const problems = policies.flatMap((policy) => {
    const error = selectorError(policy);
    return error === undefined ? [] : [`ModelBoxPolicy ${policy.metadata.name} is left out: ${error}`];
  });
  if (problems.length > 0)
    return { type, status: "False", reason: "InvalidPolicy", message: problems.toSorted().join("; ") };
  if (!isConditionFalse(status?.conditions, type)) return undefined;
  return { type, status: "True", reason: "AllValid", message: "" };
}
