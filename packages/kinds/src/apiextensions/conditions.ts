// Conditions of definitions: what the server tells about them, each kept in its place.
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from "@kubewright/api";

/** Keeps a CustomResourceDefinition until its custom resources are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** A condition without its time. */
export type ConditionNews = Pick<CustomResourceDefinitionCondition, "type" | "status" | "reason" | "message">;

type Conditions = readonly CustomResourceDefinitionCondition[];

/** The conditions with one of them set. Its time is that of the last change of its status. */
export function withCondition(
  conditions: Conditions | undefined | null,
  news: ConditionNews,
  now: string,
): Conditions {
  const before = conditions ?? [];
  const old = before.find(({ type }) => type === news.type);
  if (!old) return [...before, { ...news, lastTransitionTime: now }];
  const time = old.status === news.status ? (old.lastTransitionTime ?? now) : now;
  const condition = { ...old, ...news, lastTransitionTime: time };
  return before.map((other) => (other === old ? condition : other));
}

/** Whether the news are already known. */
export function isKnown({ status }: CustomResourceDefinition, news: ConditionNews): boolean {
  const known = status?.conditions?.find(({ type }) => type === news.type);
  return (
    known?.status === news.status && known.reason === news.reason && (known.message ?? "") === news.message
  );
}
