// Metrics of webhook servers and certificate watchers, under controller-runtime's names.
import type { Clock } from "@kubewright/api";
import { Counter } from "./counter.js";
import { Gauge } from "./gauge.js";
import { Histogram } from "./histogram.js";
import type { MetricsRegistry } from "./registry.js";

/** Observes webhook requests. */
export interface WebhookObserver {
  /** A request to the webhook at that path begins; call back with the status code of its answer. */
  began(webhook: string): (code: number) => void;
}

/** Observes certificates read from files or Secrets. */
export interface CertificateObserver {
  read(): void;
  failed(): void;
}

export function webhookMetrics(registry: MetricsRegistry, clock: Clock): WebhookObserver {
  const total = registry.register(
    new Counter({
      name: "controller_runtime_webhook_requests_total",
      help: "Webhook requests by status code",
      labels: ["webhook", "code"],
    }),
  );
  const time = registry.register(
    new Histogram({
      name: "controller_runtime_webhook_latency_seconds",
      help: "How long webhooks take to answer",
      labels: ["webhook"],
    }),
  );
  const inFlight = registry.register(
    new Gauge({
      name: "controller_runtime_webhook_requests_in_flight",
      help: "Webhook requests being answered",
      labels: ["webhook"],
    }),
  );
  return {
    began(webhook) {
      const began = clock.monotonic();
      inFlight.labels(webhook).add(1);
      return (code) => {
        inFlight.labels(webhook).add(-1);
        total.labels(webhook, String(code)).inc();
        time.labels(webhook).observe((clock.monotonic() - began) / 1000);
      };
    },
  };
}

export function certificateMetrics(registry: MetricsRegistry): CertificateObserver {
  const reads = registry.register(
    new Counter({ name: "certwatcher_read_certificate_total", help: "Certificates read" }),
  );
  const errors = registry.register(
    new Counter({
      name: "certwatcher_read_certificate_errors_total",
      help: "Certificates that could not be read",
    }),
  );
  return { read: () => reads.inc(), failed: () => errors.inc() };
}
