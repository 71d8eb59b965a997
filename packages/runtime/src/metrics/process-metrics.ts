// Resource usage of the process, under the names of Prometheus' client for Node. Nothing is measured between two scrapes.
import { performance } from "node:perf_hooks";
import { collected, type MetricFamily, type MetricOptions } from "./metric-family.js";

export function processMetrics(): readonly MetricFamily[] {
  const gauge = (name: string, help: string, value: () => number): MetricFamily =>
    collected({ name, help }, "gauge", () => [{ value: value() }]);
  const { rss, heap, heapUsed, external } = memory;
  return [
    collected({ name: "process_cpu_seconds_total", help: "CPU time used" }, "counter", () => {
      const { user, system } = process.cpuUsage();
      return [{ value: (user + system) / 1e6 }];
    }),
    gauge("process_start_time_seconds", "When the process began", () => performance.timeOrigin / 1000),
    gauge("process_resident_memory_bytes", "Memory in use", rss),
    gauge("nodejs_heap_size_total_bytes", "Size of the heap", heap),
    gauge("nodejs_heap_size_used_bytes", "Heap in use", heapUsed),
    gauge("nodejs_external_memory_bytes", "Memory outside the heap", external),
    gauge(
      "nodejs_eventloop_utilization",
      "Share of the time the event loop was busy since the last look",
      loopUse(),
    ),
    collected(versionInfo, "gauge", () => [{ labels: [process.version], value: 1 }]),
  ];
}

const memory = {
  rss: () => process.memoryUsage.rss(),
  heap: () => process.memoryUsage().heapTotal,
  heapUsed: () => process.memoryUsage().heapUsed,
  external: () => process.memoryUsage().external,
};

const versionInfo: MetricOptions = {
  name: "nodejs_version_info",
  help: "Version of Node.js",
  labels: ["version"],
};

function loopUse(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
