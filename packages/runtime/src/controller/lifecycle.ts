// One reconcile of one object: its finalizer, the author's code, and what is written afterwards.
import { type ConditionUpdate, isBeingDeleted, isConditionTrue, type KubeObject } from "@kubewright/api";
import type { FieldConflict } from "./apply/field-conflicts.js";
import type { ControllerDefinition, ReconcileResult } from "./define-controller.js";
import type { Finalizer } from "./finalizer.js";
import { explained } from "./invalid-object.js";
import { reconcileFailed, recoveredCondition } from "./reconcile-failures.js";
import type { ReconcileRun } from "./reconcile-run.js";
import { RunContext } from "./run-context.js";

export interface LifecycleOptions {
  readonly definition: ControllerDefinition;
  readonly finalizer: Finalizer | undefined;
  /** True when the runtime may put conditions of its own into the status. */
  readonly hasConditions: () => boolean;
  /** On the monotonic clock. */
  readonly now: () => number;
}

/** Reconciles or finalizes the object of a run. Returns after how many milliseconds to do so again. */
export async function reconcileOnce(
  reconcile: ReconcileRun,
  options: LifecycleOptions,
): Promise<number | undefined> {
  const { definition, finalizer } = options;
  const { run } = reconcile;
  if (isBeingDeleted(run.object)) return finalizer && cleanUp(reconcile, definition, finalizer);
  if (finalizer && !finalizer.isOn(run.object))
    run.renew(await noted(reconcile, definition, finalizer.add(run.object, run)));
  return callReconcile(reconcile, options);
}

async function callReconcile(
  reconcile: ReconcileRun,
  options: LifecycleOptions,
): Promise<number | undefined> {
  const { definition } = options;
  const { run } = reconcile;
  let result: ReconcileResult | undefined | void;
  // The finalizer was written meanwhile, or the process was stopped before it got here.
  run.check();
  try {
    result = await definition.reconcile(run.object, new RunContext(reconcile));
  } catch (error) {
    throw explained(error, definition.resource, run.object);
  }
  run.check();
  const afterConflict = reportConflicts(reconcile, options);
  reportRecovery(reconcile, options);
  const debounced = await reconcile.status.write();
  return earliest(after(reconcile, result) ?? reconcile.dueIn, afterConflict, debounced);
}

/** The status is written before the finalizer is removed: afterwards there may be no object to write it to. */
async function cleanUp(
  reconcile: ReconcileRun,
  definition: ControllerDefinition,
  finalizer: Finalizer,
): Promise<number | undefined> {
  const { run } = reconcile;
  if (!finalizer.isOn(run.object)) return undefined;
  run.check();
  const result = await definition.finalize?.(run.object, new RunContext(reconcile));
  run.check();
  await reconcile.status.write();
  const again = after(reconcile, result);
  if (again === undefined) await noted(reconcile, definition, finalizer.remove(run.object, run));
  return again;
}

function noted(
  { run }: ReconcileRun,
  { resource }: ControllerDefinition,
  work: Promise<KubeObject>,
): Promise<KubeObject> {
  return run.notes.write("patch", resource, run.key, work, (object) => object);
}

/** Nothing fails any more. */
function reportRecovery({ status }: ReconcileRun, { hasConditions }: LifecycleOptions): void {
  const isSet = status.conditions.some(({ type }) => type === reconcileFailed);
  if (!isSet && isConditionTrue(status.liveConditions, reconcileFailed) && hasConditions())
    status.set({ conditions: [recoveredCondition] });
}

const conditionType = "FieldConflict";

/** A field that another manager keeps changing back is reported, and applied again when its backoff is over. */
function reportConflicts(
  reconcile: ReconcileRun,
  { hasConditions, now }: LifecycleOptions,
): number | undefined {
  const { conflicts } = reconcile.children;
  for (const conflict of conflicts) {
    const note = describe(conflict);
    reconcile.run.log.warn(note);
    reconcile.event({ type: "Warning", reason: conditionType, action: "Apply", note });
  }
  const condition = conditionFor(reconcile, conflicts);
  if (condition && hasConditions()) reconcile.status.set({ conditions: [condition] });
  return earliest(...conflicts.map(({ until }) => Math.max(0, until - now())));
}

function conditionFor(
  { status }: ReconcileRun,
  conflicts: readonly FieldConflict[],
): ConditionUpdate | undefined {
  if (conflicts.length > 0)
    return {
      type: conditionType,
      status: "True",
      reason: "ChangedByOthers",
      message: conflicts.map(describe).join("; "),
    };
  if (!isConditionTrue(status.liveConditions, conditionType)) return undefined;
  return { type: conditionType, status: "False", reason: "Settled", message: "" };
}

function describe({ child, path, managers }: FieldConflict): string {
  const others = managers.length > 0 ? managers.join(", ") : "another field manager";
  return `${child}: ${path || "its fields"} is also set by ${others}`;
}

function after(reconcile: ReconcileRun, result: ReconcileResult | undefined | void): number | undefined {
  const { requeueAfter, requeueAt } = result ?? {};
  return earliest(
    requeueAfter,
    requeueAt === undefined ? undefined : Math.max(0, requeueAt - reconcile.now()),
  );
}

function earliest(...delays: readonly (number | undefined)[]): number | undefined {
  const given = delays.filter((delay) => delay !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
