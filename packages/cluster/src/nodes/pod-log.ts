// Logs of simulated containers. What is asked for beyond logs needs a real container.
import { type Clock, formatMicroTime, type TransportResponse } from "@kubewright/api";
import type { PodConnection } from "@kubewright/apiserver";
import type { ContainerRuntime, LogLine } from "./container-runtime.js";

/** Answers a request for a log; undefined for what a simulated pod cannot do. */
export function podLog(
  { action, pod, container, request }: PodConnection,
  runtime: ContainerRuntime,
  clock: Clock,
): TransportResponse | undefined {
  if (action !== "log") return undefined;
  const query = request.query ?? new URLSearchParams();
  const name = container ?? pod.spec?.containers[0]?.name ?? "";
  const previous = query.get("previous") === "true";
  const lines = recent(runtime.logs(pod.metadata?.uid ?? "", name, { previous }), query, clock.now());
  const stamped = query.get("timestamps") === "true";
  const text = lines.map(({ at, text }) => `${stamped ? `${formatMicroTime(at)} ` : ""}${text}\n`).join("");
  const headers = { "content-type": "text/plain" };
  return { status: 200, headers, body: { kind: "bytes", bytes: new TextEncoder().encode(text) } };
}

function recent(lines: readonly LogLine[], query: URLSearchParams, now: number): readonly LogLine[] {
  const seconds = query.get("sinceSeconds");
  const time = query.get("sinceTime");
  const since = seconds === null ? (time === null ? 0 : Date.parse(time)) : now - Number(seconds) * 1000;
  const later = lines.filter(({ at }) => at >= since);
  const tail = query.get("tailLines");
  return tail === null ? later : Number(tail) === 0 ? [] : later.slice(-Number(tail));
}
