// The pod failure policy of a Job: rules by exit code or pod condition, of which the first that matches decides.
import type { Job, Pod, PodFailurePolicyRule } from "@kubewright/api";

type Requirement = NonNullable<PodFailurePolicyRule["onExitCodes"]>;

export interface FailureJudgement {
  readonly action: PodFailurePolicyRule["action"];
  /** Why the whole Job fails; only then. */
  readonly message?: string | undefined;
}

const counted: FailureJudgement = { action: "Count" };

/** The action for a failed pod. Default: it counts as a failure. */
export function judgeFailure({ spec }: Job, pod: Pod): FailureJudgement {
  for (const [index, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    const cause = rule.onExitCodes ? exitCodeCause(rule.onExitCodes, pod) : conditionCause(rule, pod);
    if (cause === undefined) continue;
    if (rule.action !== "FailJob") return { action: rule.action };
    return { action: "FailJob", message: `${cause} matching FailJob rule at index ${index}` };
  }
  return counted;
}

function exitCodeCause(requirement: Requirement, { metadata, status }: Pod): string | undefined {
  const ended = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  for (const { name, state } of ended) {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (requirement.containerName ?? name) !== name) continue;
    if (requirement.values.includes(code) === (requirement.operator === "In"))
      return `Container ${name} for pod ${metadata?.namespace}/${metadata?.name} failed with exit code ${code}`;
  }
  return undefined;
}

function conditionCause(
  { onPodConditions = [] }: PodFailurePolicyRule,
  { metadata, status }: Pod,
): string | undefined {
  const found = (status?.conditions ?? []).find((condition) =>
    onPodConditions.some(
      (pattern) => pattern.type === condition.type && (pattern.status ?? "True") === condition.status,
    ),
  );
  return found && `Pod ${metadata?.namespace}/${metadata?.name} has condition ${found.type}`;
}
