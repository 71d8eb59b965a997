// Why a child could not be made or changed, as a condition a person can act on.
import { ApiError, type ConditionUpdate, isForbidden, isInvalid, TerminalError } from "@kubewright/api";
import type { ReconcileResult } from "../controller/define-controller.js";
import { ForeignChildError } from "../controller/foreign-child-error.js";
import type { EventInput } from "../controller/reconcile-context.js";

/** How often to look whether somebody has mended what only they can mend. */
const lookAgain = 30_000;

/** What is needed of a reconcile's context to tell of a failure. */
interface Teller {
  event(event: EventInput): void;
  status(status: { readonly conditions: readonly ConditionUpdate[] }): void;
}

/**
 * Tells of a child that cannot be made as things are (its name or node port is taken, a quota is used up, the server refuses
 * it) in the condition Degraded and an Event, and looks again soon. Any other error is thrown on, to be retried.
 *
 * @example
 * async reconcile(app, ctx) {
 *   try {
 *     await ctx.apply(Service, serviceFor(app));
 *   } catch (error) {
 *     return tellFailure(ctx, error);
 *   }
 * }
 */
export function tellFailure(context: Teller, error: unknown): ReconcileResult {
  const isForOthersToMend = error instanceof ForeignChildError || isForbidden(error) || isInvalid(error);
  if (!isForOthersToMend) throw error;
  const condition = childFailure(error);
  const { reason = "", message: note = "" } = condition;
  context.event({ type: "Warning", reason, note, action: "Apply" });
  context.status({ conditions: [condition] });
  return { requeueAfter: lookAgain };
}

/** What to say of an object whose reconcile failed. For `onError` of a controller. */
export function failureStatus(error: unknown): { readonly conditions: readonly ConditionUpdate[] } {
  return { conditions: [childFailure(error)] };
}

/** The condition Degraded, with what went wrong. */
export function childFailure(error: unknown): ConditionUpdate {
  const message = error instanceof Error ? error.message : String(error);
  return { type: "Degraded", status: "True", reason: reasonFor(error, message), message };
}

function reasonFor(error: unknown, message: string): string {
  if (error instanceof ForeignChildError) return "NameTaken";
  if (error instanceof TerminalError) return "NotPossible";
  if (!(error instanceof ApiError)) return "ReconcileFailed";
  if (message.includes("provided port is already allocated")) return "NodePortTaken";
  if (isForbidden(error)) {
    if (message.includes("exceeded quota")) return "QuotaExceeded";
    return message.includes("being terminated") ? "NamespaceTerminating" : "Forbidden";
  }
  return isInvalid(error) ? "Refused" : "ServerError";
}
