// One pass over one object: its finalizer, the author's code, and what is written afterwards.
import { type ConditionUpdate, isBeingDeleted, isConditionTrue, type KubeObject } from "@kubewright/api";
import type { Contest } from "./apply/contest.js";
import type { ControllerDefinition, ReconcileResult } from "./define-controller.js";
import type { Finalizer } from "./finalizer.js";
import { explained } from "./invalid-object.js";
import type { ReconcileRun } from "./reconcile-run.js";
import type { StatusShape } from "./status/status-patch.js";

export interface LifecycleOptions {
  readonly definition: ControllerDefinition;
  readonly finalizer: Finalizer | undefined;
  readonly shape: () => StatusShape;
  /** On the monotonic clock. */
  readonly now: () => number;
}

/** Reconciles or finalizes the object of a run. Returns after how many milliseconds to look again. */
export function passOver(run: ReconcileRun, options: LifecycleOptions): Promise<number | undefined> {
  const { definition, finalizer } = options;
  if (isBeingDeleted(run.object))
    return finalizer ? cleanUp(run, definition, finalizer) : Promise.resolve(undefined);
  if (!finalizer || finalizer.isOn(run.object)) return reconcile(run, options);
  return addFinalizer(run, definition, finalizer).then(() => reconcile(run, options));
}

async function addFinalizer(
  run: ReconcileRun,
  definition: ControllerDefinition,
  finalizer: Finalizer,
): Promise<void> {
  run.renew(await noted(run, definition, finalizer.add(run.object, run.bounds())));
}

/** Not async: of those who wait for their turn there may be thousands, and it would double what each of them holds here. */
function reconcile(run: ReconcileRun, options: LifecycleOptions): Promise<number | undefined> {
  const { definition } = options;
  const fail = (error: unknown): never => {
    throw explained(error, definition.resource, run.object);
  };
  return called(() => definition.reconcile(run.object, run)).then(
    (result) => conclude(run, options, result),
    fail,
  );
}

/** What a function returns or throws, as a promise. */
function called<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(error);
  }
}

async function conclude(
  run: ReconcileRun,
  options: LifecycleOptions,
  result: ReconcileResult | undefined | void,
): Promise<number | undefined> {
  run.check();
  const again = tellContests(run, options);
  const patience = await run.writeStatus();
  return earliest(after(run, result) ?? run.dueIn, again, patience);
}

/** The status is written before the finalizer goes: afterwards there may be no object to say it of. */
async function cleanUp(
  run: ReconcileRun,
  definition: ControllerDefinition,
  finalizer: Finalizer,
): Promise<number | undefined> {
  if (!finalizer.isOn(run.object)) return undefined;
  const result = await definition.finalize?.(run.object, run);
  run.check();
  await run.writeStatus();
  const again = after(run, result);
  if (again === undefined) await noted(run, definition, finalizer.remove(run.object, run.bounds()));
  return again;
}

function noted(
  run: ReconcileRun,
  { resource }: ControllerDefinition,
  work: Promise<KubeObject>,
): Promise<KubeObject> {
  return run.notes.write("patch", resource, run.key, work, (object) => object);
}

const conditionType = "FieldsContested";

/** A field that others keep changing back is told of, and looked at again when its pause is over. */
function tellContests(run: ReconcileRun, { shape, now }: LifecycleOptions): number | undefined {
  const { contests } = run;
  for (const contest of contests) {
    const note = describe(contest);
    run.log.warn(note);
    run.event({ type: "Warning", reason: conditionType, action: "Apply", note });
  }
  const condition = conditionFor(run, contests);
  if (condition && shape().hasConditions) run.status({ conditions: [condition] });
  return earliest(...contests.map(({ until }) => Math.max(0, until - now())));
}

function conditionFor(run: ReconcileRun, contests: readonly Contest[]): ConditionUpdate | undefined {
  if (contests.length > 0)
    return {
      type: conditionType,
      status: "True",
      reason: "ChangedByOthers",
      message: contests.map(describe).join("; "),
    };
  if (!isConditionTrue(run.conditions, conditionType)) return undefined;
  return { type: conditionType, status: "False", reason: "Settled", message: "" };
}

function describe({ child, path, managers }: Contest): string {
  const others = managers.length > 0 ? managers.join(", ") : "somebody else";
  return `${child}: ${path || "its fields"} is also set by ${others}`;
}

function after(run: ReconcileRun, result: ReconcileResult | undefined | void): number | undefined {
  const { requeueAfter, requeueAt } = result ?? {};
  return earliest(requeueAfter, requeueAt === undefined ? undefined : Math.max(0, requeueAt - run.now()));
}

function earliest(...delays: readonly (number | undefined)[]): number | undefined {
  const given = delays.filter((delay) => delay !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
