// Most changes of a node say only that it still lives, or which images it has.
import { deepEqual, type Node, type NodeCondition } from "@kubewright/api";

/** Whether a node came, went, or says something that decisions depend on. */
export function isNodeNews(previous: Node | undefined, current: Node | undefined): boolean {
  if (!previous || !current) return true;
  const { metadata: was, spec: wanted, status: before } = previous;
  const { metadata, spec, status } = current;
  return (
    was?.uid !== metadata?.uid ||
    was?.deletionTimestamp !== metadata?.deletionTimestamp ||
    !hasSameConditions(before?.conditions, status?.conditions) ||
    !deepEqual(wanted, spec) ||
    !deepEqual(was?.labels, metadata?.labels) ||
    !deepEqual(was?.annotations, metadata?.annotations) ||
    !deepEqual(before?.allocatable, status?.allocatable)
  );
}

function hasSameConditions(
  before: readonly NodeCondition[] = [],
  after: readonly NodeCondition[] = [],
): boolean {
  return (
    before.length === after.length &&
    before.every(({ type, status }, index) => after[index]?.type === type && after[index]?.status === status)
  );
}
