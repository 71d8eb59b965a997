import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { processMetrics } from "./process-metrics.js";
import { MetricsRegistry } from "./registry.js";
import { requestMetrics } from "./request-metrics.js";
import { certificateMetrics, webhookMetrics } from "./webhook-metrics.js";

test("requests are counted by code, method and host, and timed by verb", () => {
  const registry = new MetricsRegistry();
  const observe = requestMetrics(registry);
  const request = { verb: "list", method: "GET", host: "10.0.0.1:6443", duration: 20 };
  observe({ ...request, code: "200" });
  observe({ ...request, code: "<error>" });
  const text = registry.format();
  expect(text).toContain('rest_client_requests_total{code="200",method="GET",host="10.0.0.1:6443"} 1\n');
  expect(text).toContain('rest_client_requests_total{code="<error>",method="GET",host="10.0.0.1:6443"} 1\n');
  const time = 'rest_client_request_duration_seconds_bucket{verb="list",host="10.0.0.1:6443"';
  expect(text).toContain(`${time},le="0.01"} 0\n`);
  expect(text).toContain(`${time},le="0.025"} 2\n`);
});

test("webhook requests are counted while and after they are answered", async () => {
  const registry = new MetricsRegistry();
  const clock = new VirtualClock();
  const answered = webhookMetrics(registry, clock).began("/mutate-box");
  expect(registry.format()).toContain('requests_in_flight{webhook="/mutate-box"} 1\n');
  await clock.advance(300);
  answered(200);
  const text = registry.format();
  expect(text).toContain('requests_in_flight{webhook="/mutate-box"} 0\n');
  expect(text).toContain('controller_runtime_webhook_requests_total{webhook="/mutate-box",code="200"} 1\n');
  expect(text).toContain('controller_runtime_webhook_latency_seconds_sum{webhook="/mutate-box"} 0.3\n');
});

test("certificates read are counted from zero", () => {
  const registry = new MetricsRegistry();
  const certificates = certificateMetrics(registry);
  certificates.failed();
  expect(registry.format()).toContain("certwatcher_read_certificate_total 0\n");
  expect(registry.format()).toContain("certwatcher_read_certificate_errors_total 1\n");
});

test("process metrics report CPU time, event loop utilization and the version of Node", () => {
  const registry = new MetricsRegistry();
  for (const family of processMetrics()) registry.register(family);
  const text = registry.format();
  expect(text).toMatch(/^process_cpu_seconds_total [\d.]+$/m);
  expect(text).toMatch(/^nodejs_eventloop_utilization [\d.e-]+$/m);
  expect(text).toContain(`nodejs_version_info{version="${process.version}"} 1`);
});
