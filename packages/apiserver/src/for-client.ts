// Headers of every response over HTTP: the flow schema and priority level of the request, and the audit id.
import { randomUUID } from "node:crypto";
import type { TransportRequest, TransportResponse } from "@kubewright/api";
import type { FlowClass } from "./fairness/classifier.js";
import { isTunnel } from "./listener/tunnel.js";

/** Adds the headers. A client that sends an audit id keeps it. */
export function forClient(
  request: TransportRequest,
  response: TransportResponse,
  { flow, onSent }: { flow: FlowClass | undefined; onSent: TransportResponse["onSent"] },
): TransportResponse {
  const { status, headers, body, upgrade } = response;
  const sent: Record<string, string | readonly string[]> = {};
  // Spreading them would take as long as all the rest of an answer.
  for (const name in headers) sent[name] = headers[name] ?? "";
  if (flow) {
    sent["x-kubernetes-pf-flowschema-uid"] = flow.schemaUid;
    sent["x-kubernetes-pf-prioritylevel-uid"] = flow.levelUid;
  }
  sent["audit-id"] = request.headers?.["audit-id"] || randomUUID();
  const answer = { status, headers: sent, body, upgrade, onSent };
  return isTunnel(response) ? { ...response, ...answer } : answer;
}
