// The states of a reflector, for waits, health checks and dashboards.
//
//   idle → listing → watching ⇄ waiting → (listing or watching) … → stopped
//              ↓         ↑
//           waiting ─────┘ by way of listing
import {
  ApiError,
  isForbidden,
  isGone,
  isMethodNotSupported,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
} from "@kubewright/api";

/** Why a reflector waits before it tries again. */
export type WaitReason =
  /** The kind may not be listed or watched; permissions may yet be granted. */
  | "forbidden"
  /** The server does not know who we are. */
  | "unauthorized"
  /** The server has no such kind; its definition may yet be installed. */
  | "not-found"
  /** The server no longer has the history since the last event: everything is listed anew. */
  | "gone"
  /** The server asked to come back later. */
  | "throttled"
  /** There was no answer, or it broke off. */
  | "unreachable"
  /** The server answered with another failure. */
  | "failing";

/** A failure that keeps a reflector from working. */
export interface ReflectorProblem {
  readonly reason: WaitReason;
  readonly message: string;
  /** Failures in a row. */
  readonly attempt: number;
}

/** One state at a time. */
export type ReflectorState =
  | { readonly phase: "idle" }
  | { readonly phase: "listing"; readonly by: "stream" | "pages" }
  | { readonly phase: "watching" }
  | { readonly phase: "waiting"; readonly problem: ReflectorProblem; readonly delay: number }
  | { readonly phase: "stopped" };

/** The reason behind an error of a list or watch. */
export function waitReason(error: unknown): WaitReason {
  if (!(error instanceof ApiError)) return "unreachable";
  if (isGone(error)) return "gone";
  if (isForbidden(error)) return "forbidden";
  if (isUnauthorized(error)) return "unauthorized";
  if (isNotFound(error) || isMethodNotSupported(error)) return "not-found";
  return isTooManyRequests(error) ? "throttled" : "failing";
}
