// Logs of containers, as the kubelet serves them: from where and how much is asked for, and on as they are written.
import { ApiError, type Clock, formatTime, type TransportResponse } from "@kubewright/api";
import type { PodConnection } from "@kubewright/apiserver";
import type { ContainerLog, ContainerRuntime, LogLine } from "./container-runtime.js";
import { lineText } from "./log-text.js";

interface LogRequest {
  readonly since: number;
  readonly tail: number;
  readonly limit: number;
  readonly stamped: boolean;
  readonly follow: boolean;
}

/** Answers a request for a log. */
export function podLog(
  { pod, container, request }: PodConnection,
  runtime: ContainerRuntime,
  clock: Clock,
): TransportResponse {
  const query = request.query ?? new URLSearchParams();
  const name = container ?? pod.spec?.containers[0]?.name ?? "";
  const previous = flag(query, "previous");
  const log = runtime.log(pod.metadata?.uid ?? "", name, { previous });
  if (!log) throw noLog(pod, name, previous);
  const wanted = logRequest(query, clock.now());
  const headers = { "content-type": "text/plain" };
  if (!wanted.follow) {
    const text = new Budget(wanted).take(selected(log.read(0).lines, wanted));
    return { status: 200, headers, body: { kind: "bytes", bytes: new TextEncoder().encode(text) } };
  }
  const signal = request.signal ?? new AbortController().signal;
  return { status: 200, headers, body: { kind: "stream", chunks: followed(log, wanted, signal) } };
}

function noLog({ metadata, status, spec }: PodConnection["pod"], name: string, previous: boolean): ApiError {
  const pod = metadata?.name;
  if (previous) return bad(`previous terminated container "${name}" in pod "${pod}" not found`);
  const all = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const reason = all.find((one) => one.name === name)?.state?.waiting?.reason ?? "ContainerCreating";
  const why =
    reason === "ImagePullBackOff" || reason === "ErrImagePull" ? "trying and failing to pull image" : reason;
  return bad(
    `container "${name}" in pod "${pod}" is waiting to start: ${spec?.nodeName ? why : "not scheduled"}`,
  );
}

const bad = (message: string): ApiError => new ApiError(message, { code: 400, reason: "BadRequest" });

const flag = (query: URLSearchParams, name: string): boolean => {
  const value = query.get(name);
  return value === "true" || value === "1";
};

function logRequest(query: URLSearchParams, now: number): LogRequest {
  const seconds = query.get("sinceSeconds");
  const time = query.get("sinceTime");
  const number = (name: string): number => Number(query.get(name) ?? Number.POSITIVE_INFINITY);
  return {
    since: seconds === null ? (time === null ? 0 : Date.parse(time)) : now - Number(seconds) * 1000,
    tail: number("tailLines"),
    limit: number("limitBytes"),
    stamped: flag(query, "timestamps"),
    follow: flag(query, "follow"),
  };
}

function selected(lines: readonly LogLine[], { since, tail }: LogRequest): readonly LogLine[] {
  const later = lines.filter(({ at }) => at >= since);
  return tail === 0 ? [] : Number.isFinite(tail) ? later.slice(-tail) : later;
}

async function* followed(
  log: ContainerLog,
  wanted: LogRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const budget = new Budget(wanted);
  const encoder = new TextEncoder();
  let { lines, next } = log.read(0);
  let text = budget.take(selected(lines, wanted));
  for (;;) {
    const isLast = log.isOver;
    if (text !== "") yield encoder.encode(text);
    if (isLast || budget.isSpent) return;
    await log.more(signal);
    signal.throwIfAborted();
    ({ lines, next } = log.read(next));
    text = budget.take(lines);
  }
}

/** Counts the bytes that may still be sent. */
class Budget {
  readonly #stamped: boolean;
  #left: number;

  constructor({ limit, stamped }: LogRequest) {
    this.#left = limit;
    this.#stamped = stamped;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  take(lines: readonly LogLine[]): string {
    const text = lines
      .map((line) => `${this.#stamped ? `${nanoTime(line.at)} ` : ""}${lineText(line)}`)
      .join("");
    const length = Buffer.byteLength(text);
    if (length <= this.#left) {
      this.#left -= length;
      return text;
    }
    const cut = Buffer.from(text).subarray(0, this.#left).toString();
    this.#left = 0;
    return cut;
  }
}

/** With nine digits after the point, as container runtimes write it. */
function nanoTime(at: number): string {
  const fraction = String(Math.floor(at) % 1000).padStart(3, "0");
  return `${formatTime(at).slice(0, -1)}.${fraction}000000Z`;
}
