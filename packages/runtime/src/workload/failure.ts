// Why a child could not be created or changed, as a condition a person can act on.
import {
  ApiError,
  type ConditionUpdate,
  isBadRequest,
  isForbidden,
  isInvalid,
  isNamespaceTerminating,
  TerminalError,
} from "@kubewright/api";
import type { ReconcileResult } from "../controller/define-controller.js";
import { ForeignChildError } from "../controller/foreign-child-error.js";
import type { EventInput } from "../controller/reconcile-context.js";

/** The retry interval for failures that only a user can fix. */
const retryInterval = 30_000;

/** The part of the reconcile context that reporting a failure needs. */
interface Reporter {
  event(event: EventInput): void;
  status(status: { readonly conditions: readonly ConditionUpdate[] }): void;
}

/** Why something does not work, in the form of a condition. */
export interface Problem {
  /** One word in CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/**
 * Reports a child that cannot be created or changed as things are (its name or node port is taken, a quota is used up, the
 * server refuses it) in the condition Degraded and an Event, and tries again soon. Any other error is thrown on, for backoff.
 *
 * @example
 * async reconcile(app, ctx) {
 *   try {
 *     await ctx.apply(Service, serviceFor(app));
 *   } catch (error) {
 *     return reportFailure(ctx, error);
 *   }
 * }
 */
export function reportFailure(context: Reporter, error: unknown): ReconcileResult {
  if (!isRefusal(error)) throw error;
  const condition = childFailure(error);
  context.status({ conditions: [condition] });
  return reportRefusals(context, [error]);
}

/** Records an Event for each refusal; returns when to try again. */
export function reportRefusals(
  context: Pick<Reporter, "event">,
  errors: readonly unknown[],
): ReconcileResult {
  for (const error of errors) {
    const { reason, message: note } = problemOf(error);
    context.event({ type: "Warning", reason, note, action: "Apply" });
  }
  return { requeueAfter: retryInterval };
}

/**
 * True for an error that repeating the request does not fix: somebody must change the cluster or the object first. A namespace
 * that is terminating is no such case: nothing is to be fixed there.
 */
export function isRefusal(error: unknown): boolean {
  if (isNamespaceTerminating(error)) return false;
  return error instanceof ForeignChildError || isForbidden(error) || isInvalid(error) || isBadRequest(error);
}

/** The condition Degraded for a reconcile that failed, for `onError` of a controller. */
export function failureStatus(error: unknown): { readonly conditions: readonly ConditionUpdate[] } {
  return { conditions: [childFailure(error)] };
}

/** The condition Degraded, with what went wrong. */
export function childFailure(error: unknown): ConditionUpdate {
  return { type: "Degraded", status: "True", ...problemOf(error) };
}

/** A failure, with a machine-readable reason. */
export function problemOf(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  return { reason: reasonFor(error, message), message };
}

function reasonFor(error: unknown, message: string): string {
  if (error instanceof ForeignChildError) return "NameTaken";
  if (error instanceof TerminalError) return "NotPossible";
  if (!(error instanceof ApiError)) return "ReconcileFailed";
  if (message.includes("provided port is already allocated")) return "NodePortTaken";
  if (isForbidden(error)) {
    return message.includes("exceeded quota") ? "QuotaExceeded" : "Forbidden";
  }
  return isInvalid(error) || isBadRequest(error) ? "Refused" : "ServerError";
}
