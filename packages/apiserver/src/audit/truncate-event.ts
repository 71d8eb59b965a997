// Events that are larger than their receiver wants them: without what was sent and answered, they may not be.
import { stringifyJson } from "@kubewright/api";
import type { AuditEvent } from "./audit-event.js";

/** Bytes, as kube-apiserver's options name them. */
export interface AuditTruncation {
  readonly maxEventSize: number;
  /** The most bytes of the events of one list; more are sent in several. */
  readonly maxBatchSize: number;
}

/** The defaults of kube-apiserver. */
export const usualTruncation: AuditTruncation = {
  maxEventSize: 100 * 1024,
  maxBatchSize: 10 * 1024 * 1024,
};

const sizeOf = (event: AuditEvent): number => Buffer.byteLength(stringifyJson(event));

/** The event, or what is left of it, and how large that is; undefined where that is still too large. */
export function truncateEvent(
  event: AuditEvent,
  most: number,
): { readonly event: AuditEvent; readonly size: number } | undefined {
  const whole = sizeOf(event);
  if (whole <= most) return { event, size: whole };
  if (event.level !== "Request" && event.level !== "RequestResponse") return undefined;
  const { requestObject: _request, responseObject: _response, ...rest } = event;
  const short = { ...rest, annotations: { ...event.annotations, "audit.k8s.io/truncated": "true" } };
  const size = sizeOf(short);
  return size <= most ? { event: short, size } : undefined;
}

/** Events in lists of which none is larger than that, but for those of one event. */
export function* listsOf(
  events: readonly { readonly event: AuditEvent; readonly size: number }[],
  most: number,
): Iterable<readonly AuditEvent[]> {
  let list: AuditEvent[] = [];
  let bytes = 0;
  for (const { event, size } of events) {
    if (list.length > 0 && bytes + size > most) {
      yield list;
      list = [];
      bytes = 0;
    }
    list.push(event);
    bytes += size;
  }
  if (list.length > 0) yield list;
}
