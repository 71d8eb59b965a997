// Metrics of the process, as Prometheus' client libraries report them.
import { metricText } from "./exposition.js";

/** The process this server is part of; in a test or a program that embeds it, that is more than the server. */
export function processMetrics(): string {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal } = process.memoryUsage();
  const started = (Date.now() - performance.now()) / 1000;
  const values = [
    ["process_cpu_seconds_total", "counter", "User and system time spent.", (user + system) / 1e6],
    ["process_resident_memory_bytes", "gauge", "Resident memory.", rss],
    ["process_start_time_seconds", "gauge", "Start of the process, in seconds since 1970.", started],
    ["nodejs_heap_size_used_bytes", "gauge", "Memory of JavaScript in use.", heapUsed],
    ["nodejs_heap_size_total_bytes", "gauge", "Memory of JavaScript.", heapTotal],
  ] as const;
  return values.map(([name, type, help, value]) => metricText(name, type, help, [["", value]])).join("");
}
