// From what a reconcile says of its object to the smallest change of its status.
//
// A merge patch, not server-side apply: a reconcile often says only part of the status (an early return, an error), and
// with apply everything it did not repeat would be gone, also what an operator remembers there from one reconcile to the
// next. So what is named is set, what is named as undefined is cleared, and the rest stays.
import { type Condition, type ConditionUpdate, deepEqual, setCondition } from "@kubewright/api";
import { isRecord, type JsonRecord } from "../apply/json-record.js";

/** What a status has room for besides what reconcile says. */
export interface StatusShape {
  readonly hasObservedGeneration: boolean;
  readonly hasConditions: boolean;
  /** Conditions say which generation they are about. */
  readonly hasConditionGeneration: boolean;
}

export interface StatusFacts {
  readonly current: JsonRecord;
  readonly generation: number | undefined;
  readonly shape: StatusShape;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A change of a status. */
export interface StatusPatch {
  /** A merge patch. */
  readonly changes: JsonRecord;
  /** It rewrites a list that others have entries in: it must not be applied to another version of the object. */
  readonly needsLock: boolean;
}

/** The change that makes the current status say what is said; undefined when it does already. */
export function statusPatch(said: JsonRecord, facts: StatusFacts): StatusPatch | undefined {
  const { current, generation, shape } = facts;
  const wanted: Record<string, unknown> = { ...said };
  if (shape.hasObservedGeneration && !Object.hasOwn(said, "observedGeneration"))
    wanted["observedGeneration"] = generation;
  const updates = said["conditions"];
  if (Array.isArray(updates)) wanted["conditions"] = conditions(updates, facts);
  const changes = mergeDifference(pick(current, Object.keys(wanted)), wanted);
  if (!changes) return undefined;
  return { changes, needsLock: "conditions" in changes && hasOthers(current, updates) };
}

function conditions(updates: readonly ConditionUpdate[], facts: StatusFacts): readonly Condition[] {
  const { current, generation, shape, now } = facts;
  let list = conditionsOf(current);
  for (const update of updates) {
    const observedGeneration =
      update.observedGeneration ?? (shape.hasConditionGeneration ? generation : undefined);
    list = setCondition(list, { ...update, observedGeneration }, now);
  }
  return list;
}

function conditionsOf(status: JsonRecord): readonly Condition[] {
  const list = status["conditions"];
  return Array.isArray(list) ? list : [];
}

function hasOthers(current: JsonRecord, said: unknown): boolean {
  const types = new Set(Array.isArray(said) ? said.map(({ type }: ConditionUpdate) => type) : []);
  return conditionsOf(current).some(({ type }) => !types.has(type));
}

function pick(object: JsonRecord, names: readonly string[]): JsonRecord {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]),
  );
}

/** The merge patch from one object to another; undefined when they say the same. */
export function mergeDifference(from: JsonRecord, to: JsonRecord): JsonRecord | undefined {
  const changes: [string, unknown][] = [];
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [own(from, name), own(to, name)];
    if (after === undefined || after === null) {
      if (before !== undefined && before !== null) changes.push([name, null]);
    } else if (!deepEqual(before, after)) {
      changes.push([name, isRecord(before) && isRecord(after) ? mergeDifference(before, after) : after]);
    }
  }
  return changes.length > 0 ? Object.fromEntries(changes) : undefined;
}

function own(object: JsonRecord, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
