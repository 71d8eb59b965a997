// Answers probes: /healthz and /livez (restart me?), /readyz (send me requests?), each with `?verbose`, `?exclude=name`, and
// single checks under their names, as every Kubernetes component does.
import type { Clock } from "@kubewright/api";
import {
  HttpListener,
  type HttpRequest,
  type HttpResponse,
  type ListenOptions,
  notFound,
} from "../serving/http-listener.js";
import type { ManagerService } from "../serving/manager-service.js";
import type { CheckResult } from "./health-checks.js";
import type { ManagerHealth } from "./manager-health.js";

export interface HealthServerOptions extends ListenOptions {
  readonly health: ManagerHealth;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export class HealthServer implements ManagerService {
  readonly name = "health";
  readonly #listener: HttpListener;

  constructor({ health, ...options }: HealthServerOptions) {
    this.#listener = new HttpListener({ ...options, respond: (request) => answerProbe(health, request) });
  }

  get url(): string | undefined {
    return this.#listener.url;
  }

  start(): Promise<void> {
    return this.#listener.listen();
  }

  close(): Promise<void> {
    return this.#listener.close();
  }
}

/** The response to a probe. */
export async function answerProbe(
  { live, ready }: Pick<ManagerHealth, "live" | "ready">,
  { path, query }: Pick<HttpRequest, "path" | "query">,
): Promise<HttpResponse> {
  const [, endpoint = "", name, ...rest] = path.replace(/\/$/, "").split("/");
  const checks = new Map([
    ["healthz", live],
    ["livez", live],
    ["readyz", ready],
  ]).get(endpoint);
  if (!checks || rest.length > 0) return notFound;
  if (name !== undefined) return single(await checks.ask(name));
  const excluded = new Set(query.getAll("exclude"));
  const results = await checks.askAll(excluded);
  const unknown = [...excluded].filter((one) => !checks.names.includes(one));
  return summary(endpoint, results, unknown, query.has("verbose"));
}

function single(result: CheckResult | undefined): HttpResponse {
  if (!result) return notFound;
  if (result.outcome === "passed") return { status: 200, body: "ok" };
  return { status: 500, body: `internal server error: ${result.reason}\n` };
}

function summary(
  endpoint: string,
  results: readonly CheckResult[],
  unknown: readonly string[],
  isVerbose: boolean,
): HttpResponse {
  const hasFailed = results.some(({ outcome }) => outcome === "failed");
  if (!hasFailed && !isVerbose) return { status: 200, body: "ok" };
  const lines = [
    ...results.map(line),
    ...(unknown.length > 0
      ? [
          `warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => JSON.stringify(name)).join(",")}`,
        ]
      : []),
    `${endpoint} check ${hasFailed ? "failed" : "passed"}`,
  ];
  return { status: hasFailed ? 500 : 200, body: `${lines.join("\n")}\n` };
}

/** Reasons are shown only for a single check: this page is seen by anybody who reaches the port. */
function line({ name, outcome }: CheckResult): string {
  if (outcome === "failed") return `[-]${name} failed: reason withheld`;
  return outcome === "excluded" ? `[+]${name} excluded: ok` : `[+]${name} ok`;
}
