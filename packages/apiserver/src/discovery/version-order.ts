// The order Kubernetes prefers versions in: v2 before v1 before v1beta2 before v1alpha1 before anything else.

const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages = { alpha: 0, beta: 1, stable: 2 } as const;

/** Negative when `left` is preferred. */
export function compareVersions(left: string, right: string): number {
  const first = parse(left);
  const second = parse(right);
  if (!first || !second) {
    if (first || second) return first ? -1 : 1;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return second.stage - first.stage || second.major - first.major || second.minor - first.minor;
}

function parse(version: string): { stage: number; major: number; minor: number } | undefined {
  const match = pattern.exec(version);
  if (!match) return undefined;
  const stage = match[2] === "alpha" || match[2] === "beta" ? match[2] : "stable";
  return { stage: stages[stage], major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
