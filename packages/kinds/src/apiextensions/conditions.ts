// Conditions of CustomResourceDefinitions, which the server sets.
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from "@kubewright/api";

/** Keeps a CustomResourceDefinition until its custom resources are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** A condition without its time. */
export type ConditionUpdate = Pick<
  CustomResourceDefinitionCondition,
  "type" | "status" | "reason" | "message"
>;

type Conditions = readonly CustomResourceDefinitionCondition[];

/** The conditions with one of them set. Its time is that of the last change of its status. */
export function withCondition(
  conditions: Conditions | undefined | null,
  update: ConditionUpdate,
  now: string,
): Conditions {
  const before = conditions ?? [];
  const old = before.find(({ type }) => type === update.type);
  if (!old) return [...before, { ...update, lastTransitionTime: now }];
  const time = old.status === update.status ? (old.lastTransitionTime ?? now) : now;
  const condition = { ...old, ...update, lastTransitionTime: time };
  return before.map((other) => (other === old ? condition : other));
}

/** Whether the CRD has the condition already, with this status, reason and message. */
export function hasCondition({ status }: CustomResourceDefinition, update: ConditionUpdate): boolean {
  const current = status?.conditions?.find(({ type }) => type === update.type);
  return (
    current?.status === update.status &&
    current.reason === update.reason &&
    (current.message ?? "") === update.message
  );
}
