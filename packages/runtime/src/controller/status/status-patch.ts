// From what a reconcile says of its object to the smallest change of its status.
//
// A patch of single fields, not server-side apply: a reconcile often says only part of the status (an early return, an
// error), and with apply everything it did not repeat would be gone, also what an operator remembers there from one
// reconcile to the next. So what is named is set, what is named as undefined is cleared, and the rest stays. Each patch
// tests what it relies on, and is a quiet retry when that has changed.
import { type Condition, type ConditionUpdate, deepEqual, setCondition } from "@kubewright/api";
import type { JsonPatchOperation } from "@kubewright/client";
import type { JsonRecord } from "../apply/json-record.js";

/** The fields that the schema of the status has, for values that the runtime adds. */
export interface StatusShape {
  readonly hasObservedGeneration: boolean;
  readonly hasConditions: boolean;
  /** Conditions say which generation they are about. */
  readonly hasConditionGeneration: boolean;
}

export interface StatusPatchInput {
  /** Undefined when the object has no status yet. */
  readonly current: JsonRecord | undefined;
  readonly generation: number | undefined;
  readonly shape: StatusShape;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The change that makes the current status say what is said; empty when it does already. */
export function statusPatch(said: JsonRecord, input: StatusPatchInput): readonly JsonPatchOperation[] {
  const { current } = input;
  const wanted = wantedStatus(said, input);
  const changed = Object.keys(wanted).filter((name) => !deepEqual(own(current, name), wanted[name]));
  if (changed.length === 0) return [];
  if (!current)
    return [
      { op: "test", path: "/status", value: null },
      { op: "add", path: "/status", value: wanted },
    ];
  const operations = changed.map((name): JsonPatchOperation => {
    const path = statusPointer(name);
    return wanted[name] === undefined ? { op: "remove", path } : { op: "add", path, value: wanted[name] };
  });
  // The whole list is rewritten: it must still be the one that entries of others were taken from.
  const lock = changed.includes("conditions") && hasOthers(current, said["conditions"]);
  if (lock) return [{ op: "test", path: "/status/conditions", value: current["conditions"] }, ...operations];
  return operations;
}

function wantedStatus(said: JsonRecord, input: StatusPatchInput): JsonRecord {
  const { conditions: updates } = said;
  return {
    ...(input.shape.hasObservedGeneration ? { observedGeneration: input.generation } : {}),
    ...said,
    ...(Array.isArray(updates) ? { conditions: merged(updates, input) } : {}),
  };
}

function merged(updates: readonly ConditionUpdate[], input: StatusPatchInput): readonly Condition[] {
  const { current, generation, shape, now } = input;
  let list = conditionsOf(current);
  for (const update of updates) {
    const observedGeneration =
      update.observedGeneration ?? (shape.hasConditionGeneration ? generation : undefined);
    list = setCondition(list, { ...update, observedGeneration }, now);
  }
  return list;
}

function conditionsOf(status: JsonRecord | undefined): readonly Condition[] {
  const list = own(status, "conditions");
  return Array.isArray(list) ? list : [];
}

function hasOthers(current: JsonRecord, said: unknown): boolean {
  const types = new Set(Array.isArray(said) ? said.map(({ type }: ConditionUpdate) => type) : []);
  return conditionsOf(current).some(({ type }) => !types.has(type));
}

function own(object: JsonRecord | undefined, name: string): unknown {
  return object && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The JSON pointer of a field of the status (RFC 6901). */
export function statusPointer(name: string): string {
  return `/status/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
