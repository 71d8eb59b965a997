// What the command line says of who is sent audit events.
import type { ClusterOptions } from "@kubewright/cluster";
import { UsageError, type ValuesOf } from "../command.js";
import type { ClusterFlags } from "./cluster-options.js";
import { durationOf, numberOf, pathOf } from "./option-values.js";

type Values = ValuesOf<ClusterFlags>;
type AuditWebhook = NonNullable<ClusterOptions["auditWebhook"]>;

/** Undefined where nobody is. */
export function auditWebhookOf(values: Values): AuditWebhook | undefined {
  const config = pathOf(values["audit-webhook-config-file"]);
  if (config === undefined) return without(values);
  return {
    config,
    mode: modeOf(values["audit-webhook-mode"]),
    batch: batchOf(values),
    initialBackoff: durationOf(values["audit-webhook-initial-backoff"], "audit-webhook-initial-backoff"),
    truncate: values["audit-webhook-truncate-enabled"] ? truncationOf(values) : undefined,
  };
}

/** Options of a webhook that there is not are a mistake. */
function without(values: Values): undefined {
  const given = Object.keys(values).find((name) => name.startsWith("audit-webhook-"));
  if (given) throw new UsageError(`--${given} needs --audit-webhook-config-file`);
  return undefined;
}

function modeOf(value: string | undefined): AuditWebhook["mode"] {
  return value === "blocking" || value === "blocking-strict" ? value : "batch";
}

function batchOf(values: Values): AuditWebhook["batch"] {
  const number = (
    name: `audit-webhook-batch-${"buffer-size" | "max-size" | "throttle-qps" | "throttle-burst"}`,
  ) => positive(values[name], name);
  const maxWait = durationOf(values["audit-webhook-batch-max-wait"], "audit-webhook-batch-max-wait");
  const [bufferSize, maxSize] = [
    number("audit-webhook-batch-buffer-size"),
    number("audit-webhook-batch-max-size"),
  ];
  const [qps, burst] = [
    number("audit-webhook-batch-throttle-qps"),
    number("audit-webhook-batch-throttle-burst"),
  ];
  return {
    ...(bufferSize === undefined ? {} : { bufferSize }),
    ...(maxSize === undefined ? {} : { maxSize }),
    ...(maxWait === undefined ? {} : { maxWait }),
    throttle:
      values["audit-webhook-batch-throttle-enable"] === "false"
        ? undefined
        : { qps: qps ?? 10, burst: burst ?? 15 },
  };
}

function truncationOf(values: Values): AuditWebhook["truncate"] {
  const [event, batch] = [
    "audit-webhook-truncate-max-event-size",
    "audit-webhook-truncate-max-batch-size",
  ] as const;
  const maxEventSize = positive(values[event], event) ?? 100 * 1024;
  const maxBatchSize = positive(values[batch], batch) ?? 10 * 1024 * 1024;
  if (maxBatchSize < maxEventSize)
    throw new UsageError(
      `--${batch} ${maxBatchSize}: must be greater than that of one event (${maxEventSize})`,
    );
  return { maxEventSize, maxBatchSize };
}

function positive(value: string | undefined, option: string): number | undefined {
  const number = numberOf(value, option, 1_000_000_000);
  if (number === 0) throw new UsageError(`--${option} 0: a positive number is needed`);
  return number;
}
