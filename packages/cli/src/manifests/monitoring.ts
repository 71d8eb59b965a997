// What to watch of a manager: alerts for the Prometheus operator and a dashboard for Grafana, over the metrics that the runtime exports.
// Every metric is named with the job of the manager's Service, so that other operators' metrics of the same names stay out.
import type { Manifest, Operator } from "./operator.js";

interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: "warning" | "critical";
  readonly summary: string;
  readonly description: string;
}

type Metric = (name: string, selector?: string) => string;

/** `workqueue_depth{job="shop-metrics-service"}`. */
const metricOf =
  ({ names }: Operator): Metric =>
  (name, selector) =>
    `${name}{job="${names.metricsService}"${selector ? `,${selector}` : ""}}`;

function alerts(operator: Operator): readonly Alert[] {
  const metric = metricOf(operator);
  const rate = (name: string, selector?: string) => `rate(${metric(name, selector)}[5m])`;
  const failed = (name: string, selector: string, by: string) =>
    `sum by (${by}) (${rate(name, selector)}) / sum by (${by}) (${rate(name)})`;
  return [
    {
      name: "Down",
      expr: `absent(${metric("process_start_time_seconds")})`,
      for: "10m",
      severity: "critical",
      summary: "No replica is scraped",
      description: "Nothing is reconciled, or nobody may read the metrics. kubewright doctor says why.",
    },
    ...(operator.definition.leaderElection === false || operator.definition.sharding
      ? []
      : [
          {
            name: "NoLeader",
            expr: `max by (name) (${metric("leader_election_master_status")}) == 0`,
            for: "5m",
            severity: "critical",
            summary: "No replica holds the lease {{ $labels.name }}",
            description:
              "Nothing is reconciled. Another manager may hold the lease: kubewright doctor names it.",
          } as const,
        ]),
    {
      name: "ReconcileErrors",
      expr: `${failed("controller_runtime_reconcile_total", 'result="error"', "controller")} > 0.1`,
      for: "15m",
      severity: "warning",
      summary:
        "Controller {{ $labels.controller }} fails in {{ $value | humanizePercentage }} of its reconciles",
      description: "The log and the condition ReconcileFailed of the objects say why.",
    },
    {
      name: "ReconcileGivenUp",
      expr: `sum by (controller) (increase(${metric("controller_runtime_terminal_reconcile_errors_total")}[15m])) > 0`,
      for: "0m",
      severity: "warning",
      summary: "Controller {{ $labels.controller }} has given up on an object until it changes",
      description: "Its condition ReconcileFailed says why.",
    },
    {
      name: "ReconcileStuck",
      expr: `max by (controller) (${metric("workqueue_longest_running_processor_seconds")}) > 300`,
      for: "5m",
      severity: "warning",
      summary: "A reconcile of controller {{ $labels.controller }} takes {{ $value | humanizeDuration }}",
      description:
        "It may wait for something that does not answer; kubewright explain-reconcile shows what it did.",
    },
    {
      name: "QueueGrows",
      expr: `sum by (controller) (${metric("workqueue_depth")}) > 100`,
      for: "15m",
      severity: "warning",
      summary: "{{ $value }} objects wait for controller {{ $labels.controller }}",
      description:
        "Reconciles are slower than changes come; raise concurrency, or look for what makes them slow.",
    },
    {
      name: "ApiErrors",
      expr: `${failed("rest_client_requests_total", 'code=~"5..|<error>"', "host")} > 0.05`,
      for: "15m",
      severity: "warning",
      summary: "{{ $value | humanizePercentage }} of the requests to {{ $labels.host }} fail",
      description: "The API server is overloaded, restarts, or cannot be reached.",
    },
    {
      name: "ObjectsSetAside",
      expr: `sum by (resource) (${metric("kubewright_cache_set_aside_objects")}) > 0`,
      for: "5m",
      severity: "warning",
      summary: "{{ $value }} objects of {{ $labels.resource }} cannot be read and are left alone",
      description: "They are not as the kind says; the log names them.",
    },
    ...(operator.hasWebhooks ? webhookAlerts(metric, failed) : []),
  ];
}

function webhookAlerts(
  metric: Metric,
  failed: (name: string, selector: string, by: string) => string,
): readonly Alert[] {
  return [
    {
      name: "WebhookErrors",
      expr: `${failed("controller_runtime_webhook_requests_total", 'code=~"5.."', "webhook")} > 0.05`,
      for: "10m",
      severity: "critical",
      summary: "Webhook {{ $labels.webhook }} fails, and writes are refused",
      description: "The log says why.",
    },
    {
      name: "CertificateErrors",
      expr: `increase(${metric("certwatcher_read_certificate_errors_total")}[15m]) > 0`,
      for: "0m",
      severity: "warning",
      summary: "The certificate of the webhooks cannot be read",
      description: "When the one in use ends, writes are refused; kubewright doctor says when.",
    },
  ];
}

/** Alerts, for the Prometheus operator. */
export function prometheusRule(operator: Operator): Manifest {
  const { names, settings, labels } = operator;
  const prefix = names.manager.replace(/(^|[-.])(\w)/g, (_, _separator, letter: string) =>
    letter.toUpperCase(),
  );
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: `${names.manager}-alerts`, namespace: settings.namespace, labels },
    spec: {
      groups: [
        {
          name: names.manager,
          rules: alerts(operator).map(({ name, expr, for: time, severity, summary, description }) => ({
            alert: `${prefix}${name}`,
            expr,
            for: time,
            labels: { severity },
            annotations: { summary, description },
          })),
        },
      ],
    },
  };
}

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly queries: Readonly<Record<string, string>>;
}

function panels(operator: Operator): readonly Panel[] {
  const metric = metricOf(operator);
  const sum = (by: string, name: string) => `sum by (${by}) (rate(${metric(name)}[$__rate_interval]))`;
  const quantile = (share: number, by: string, name: string) =>
    `histogram_quantile(${share}, sum by (${by}, le) (rate(${metric(`${name}_bucket`)}[$__rate_interval])))`;
  const both = (by: string, name: string) => ({
    [`{{${by}}} p50`]: quantile(0.5, by, name),
    [`{{${by}}} p99`]: quantile(0.99, by, name),
  });
  return [
    {
      title: "Reconciles by result",
      unit: "ops",
      queries: {
        "{{controller}} {{result}}": sum("controller, result", "controller_runtime_reconcile_total"),
      },
    },
    {
      title: "Failed reconciles",
      unit: "ops",
      queries: { "{{controller}}": sum("controller", "controller_runtime_reconcile_errors_total") },
    },
    {
      title: "Duration of reconciles",
      unit: "s",
      queries: both("controller", "controller_runtime_reconcile_time_seconds"),
    },
    {
      title: "Reconciles under way",
      unit: "short",
      queries: {
        "{{controller}}": `sum by (controller) (${metric("controller_runtime_active_workers")})`,
        "{{controller}} at most": `sum by (controller) (${metric("controller_runtime_max_concurrent_reconciles")})`,
      },
    },
    {
      title: "Objects that wait",
      unit: "short",
      queries: {
        "{{controller}} now": `sum by (controller) (${metric("workqueue_depth")})`,
        "{{controller}} later": `sum by (controller) (${metric("kubewright_workqueue_delayed")})`,
      },
    },
    {
      title: "Time in the queue",
      unit: "s",
      queries: both("controller", "workqueue_queue_duration_seconds"),
    },
    {
      title: "Requests to the API server",
      unit: "reqps",
      queries: { "{{method}} {{code}}": sum("method, code", "rest_client_requests_total") },
    },
    {
      title: "Latency of the API server",
      unit: "s",
      queries: both("verb", "rest_client_request_duration_seconds"),
    },
    {
      title: "Objects cached",
      unit: "short",
      queries: { "{{resource}}": `max by (resource) (${metric("kubewright_cache_objects")})` },
    },
    {
      title: "Lists and watches that failed",
      unit: "ops",
      queries: { "{{resource}}": sum("resource", "kubewright_reflector_failures_total") },
    },
    ...(operator.hasWebhooks
      ? [
          {
            title: "Webhook requests",
            unit: "reqps",
            queries: {
              "{{webhook}} {{code}}": sum("webhook, code", "controller_runtime_webhook_requests_total"),
            },
          },
          {
            title: "Latency of webhooks",
            unit: "s",
            queries: both("webhook", "controller_runtime_webhook_latency_seconds"),
          },
        ]
      : []),
    {
      title: "Memory",
      unit: "bytes",
      queries: {
        "{{pod}} resident": metric("process_resident_memory_bytes"),
        "{{pod}} heap": metric("nodejs_heap_size_used_bytes"),
      },
    },
    {
      title: "CPU",
      unit: "percentunit",
      queries: { "{{pod}}": `rate(${metric("process_cpu_seconds_total")}[$__rate_interval])` },
    },
  ];
}

const datasource = { type: "prometheus", uid: "${datasource}" } as const;

/** A dashboard of the manager, two panels a row. */
export function grafanaDashboard(operator: Operator): object {
  const { names } = operator;
  return {
    uid: `kubewright-${names.manager}`.slice(0, 40),
    title: `Operator ${names.manager}`,
    tags: ["kubewright"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    templating: {
      list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus" }],
    },
    panels: panels(operator).map(({ title, unit, queries }, index) => ({
      id: index + 1,
      type: "timeseries",
      title,
      datasource,
      gridPos: { h: 8, w: 12, x: (index % 2) * 12, y: Math.floor(index / 2) * 8 },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: Object.entries(queries).map(([legendFormat, expr], at) => ({
        refId: String.fromCharCode(65 + at),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  };
}

/** The dashboard as a file. */
export const dashboardText = (operator: Operator): string =>
  `${JSON.stringify(grafanaDashboard(operator), undefined, 2)}\n`;

/** The dashboard for Grafana's sidecar, which looks for the label in every namespace that it watches. */
export function dashboardConfigMap(operator: Operator): Manifest {
  const { names, settings, labels } = operator;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `${names.manager}-dashboard`,
      namespace: settings.namespace,
      labels: { ...labels, grafana_dashboard: "1" },
    },
    data: { "dashboard.json": dashboardText(operator) },
  };
}
