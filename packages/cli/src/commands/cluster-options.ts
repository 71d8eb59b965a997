// The options of `kubewright cluster`.
import type { Options } from "../command.js";

export const clusterOptions = {
  port: { type: "string", value: "P", description: "the TLS port on 127.0.0.1 (default: a free port)" },
  kubeconfig: {
    type: "string",
    value: "FILE",
    description: "the kubeconfig to write (default: .kubewright/kubeconfig)",
  },
  dashboard: { type: "boolean", description: "serve a web page that shows what is in the cluster" },
  nodes: { type: "string", value: "N", description: "the number of nodes (default: 1)" },
  runtime: {
    advanced: true,
    type: "string",
    value: "KIND",
    choices: ["simulated", "process"],
    description:
      "how nodes run containers: simulated, or process, as programs of this machine, on Linux (default: simulated)",
  },
  images: {
    advanced: true,
    type: "string",
    value: "FILE",
    description: "with --runtime process: which programs stand for which images, as YAML or JSON",
  },
  controllers: {
    type: "string",
    value: "LIST",
    description: "controllers to run: all, none, or names such as a,b; -c leaves c out (default: all)",
  },
  "data-dir": {
    type: "string",
    value: "DIR",
    description: "keep the state in this directory; acknowledged writes survive a crash (default: in memory)",
  },
  "default-storage-class": {
    type: "string",
    value: "NAME",
    description:
      "the StorageClass of claims that name none; none leaves such claims to existing volumes (default: standard)",
    advanced: true,
  },
  "audit-log": {
    advanced: true,
    type: "string",
    value: "FILE",
    description: "write audit events to this file, as JSON lines",
  },
  "audit-policy": {
    advanced: true,
    type: "string",
    value: "FILE",
    description: "the audit policy, an audit.k8s.io/v1 Policy (default: metadata of every request)",
  },
  "audit-log-maxsize": {
    advanced: true,
    type: "string",
    value: "MB",
    description: "the size at which the audit log is rotated (default: 100)",
  },
  "audit-log-maxbackup": {
    advanced: true,
    type: "string",
    value: "N",
    description: "how many rotated audit logs to keep (default: all)",
  },
  "audit-log-maxage": {
    advanced: true,
    type: "string",
    value: "DAYS",
    description: "how long to keep rotated audit logs (default: forever)",
  },
  "audit-webhook-config-file": {
    advanced: true,
    type: "string",
    value: "FILE",
    description: "send audit events to a webhook; a file in kubeconfig format",
  },
  "audit-webhook-mode": {
    advanced: true,
    type: "string",
    value: "MODE",
    choices: ["batch", "blocking", "blocking-strict"],
    description:
      "whether requests wait for their events to be delivered, and fail if that fails (default: batch)",
  },
  "audit-webhook-batch-buffer-size": {
    advanced: true,
    type: "string",
    value: "N",
    description: "how many events may be buffered (default: 10000)",
  },
  "audit-webhook-batch-max-size": {
    advanced: true,
    type: "string",
    value: "N",
    description: "the maximum number of events in a batch (default: 400)",
  },
  "audit-webhook-batch-max-wait": {
    advanced: true,
    type: "string",
    value: "30s",
    description: "how long to wait before a batch is sent that is not full (default: 30s)",
  },
  "audit-webhook-batch-throttle-enable": {
    advanced: true,
    type: "string",
    value: "BOOL",
    choices: ["true", "false"],
    description: "limit the rate of batches (default: true)",
  },
  "audit-webhook-batch-throttle-qps": {
    advanced: true,
    type: "string",
    value: "N",
    description: "the maximum number of batches per second (default: 10)",
  },
  "audit-webhook-batch-throttle-burst": {
    advanced: true,
    type: "string",
    value: "N",
    description: "the maximum burst of batches (default: 15)",
  },
  "audit-webhook-initial-backoff": {
    advanced: true,
    type: "string",
    value: "10s",
    description: "the delay before the first retry (default: 10s)",
  },
  "audit-webhook-truncate-enabled": {
    advanced: true,
    type: "boolean",
    description: "truncate events that are too large, or drop them",
  },
  "audit-webhook-truncate-max-event-size": {
    advanced: true,
    type: "string",
    value: "BYTES",
    description: "the maximum size of an event before it is truncated (default: 102400)",
  },
  "audit-webhook-truncate-max-batch-size": {
    advanced: true,
    type: "string",
    value: "BYTES",
    description: "the maximum size of a batch (default: 10485760)",
  },
  "event-ttl": {
    advanced: true,
    type: "string",
    value: "1h",
    description: "how long to keep Event objects (default: 1h)",
  },
  "compaction-interval": {
    advanced: true,
    type: "string",
    value: "5m",
    description: "how long past revisions can be listed, at least; 0s to keep them all (default: 5m)",
  },
  "shutdown-delay-duration": {
    advanced: true,
    type: "string",
    value: "0s",
    description: "how long to keep serving on shutdown, with /readyz failing (default: 0s)",
  },
  "shutdown-send-retry-after": {
    advanced: true,
    type: "boolean",
    description: "on shutdown, answer new requests with Retry-After instead of closing the port",
  },
  manifests: { type: "string", value: "PATH", description: "a YAML file or directory to apply at startup" },
  rules: {
    type: "string",
    value: "FILE",
    description: "rules for the behaviour of simulated pods and nodes",
  },
  "feature-gates": {
    advanced: true,
    type: "string",
    value: "A=true,B=false",
    description: "feature gates, as kube-apiserver takes them",
  },
  "service-cluster-ip-range": {
    advanced: true,
    type: "string",
    value: "CIDR,CIDR",
    description: "the address range of Services, one per IP family for dual-stack (default: 10.96.0.0/16)",
  },
  "disable-admission": {
    advanced: true,
    type: "string",
    value: "A,B",
    description: "admission plugins to disable",
  },
} as const satisfies Options;

/** The options it has. */
export type ClusterFlags = typeof clusterOptions;
