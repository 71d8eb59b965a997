// Metrics of requests to the API server, under client-go's names. The client is made before the manager, so it reports here.
import type { UndiciTransportOptions } from "@kubewright/client";
import { Counter } from "./counter.js";
import { Histogram } from "./histogram.js";
import { callBuckets } from "./reconcile-metrics.js";
import type { MetricsRegistry } from "./registry.js";

type RequestObserver = NonNullable<UndiciTransportOptions["onRequest"]>;

/**
 * Observes every request of a client.
 *
 * @example
 * const registry = new MetricsRegistry();
 * const client = clientFromKubeConfig(config, { onRequest: requestMetrics(registry) });
 * await startManager(manager, { client, metrics: { registry, port: 8080 } });
 */
export function requestMetrics(registry: MetricsRegistry): RequestObserver {
  const total = registry.register(
    new Counter({
      name: "rest_client_requests_total",
      help: "Requests to the API server, each repetition by itself",
      labels: ["code", "method", "host"],
    }),
  );
  const time = registry.register(
    new Histogram({
      name: "rest_client_request_duration_seconds",
      help: "How long the API server takes to answer",
      labels: ["verb", "host"],
      buckets: callBuckets,
    }),
  );
  return ({ code, method, host, verb, duration }) => {
    total.labels(code, method, host).inc();
    time.labels(verb, host).observe(duration / 1000);
  };
}
