// The options of `kubewright cluster`.
import type { Options } from "../command.js";

export const clusterOptions = {
  port: { type: "string", value: "P", description: "TLS port on 127.0.0.1 (a free one)" },
  kubeconfig: {
    type: "string",
    value: "FILE",
    description: "where to write the kubeconfig (.kubewright/kubeconfig)",
  },
  dashboard: { type: "boolean", description: "serve a web page that shows what is in the cluster" },
  nodes: { type: "string", value: "N", description: "simulated nodes (1)" },
  runtime: {
    type: "string",
    value: "KIND",
    choices: ["simulated", "process"],
    description:
      "how nodes run containers; process runs programs of this machine as you, on Linux (simulated)",
  },
  images: {
    type: "string",
    value: "FILE",
    description: "with --runtime process: which programs stand for which images, as YAML or JSON",
  },
  controllers: {
    type: "string",
    value: "LIST",
    description: "all, none, or names: a,b or -c to leave one out (all)",
  },
  "data-dir": {
    type: "string",
    value: "DIR",
    description: "keep the state in this folder: what was answered survives a kill (nowhere)",
  },
  "default-storage-class": {
    type: "string",
    value: "NAME",
    description: "the class of claims that name none; none leaves them to volumes made by hand (standard)",
    advanced: true,
  },
  "audit-log": { type: "string", value: "FILE", description: "who did what, as lines of JSON (nowhere)" },
  "audit-policy": {
    advanced: true,
    type: "string",
    value: "FILE",
    description: "what the audit log tells, as an audit.k8s.io/v1 Policy (metadata of every request)",
  },
  "audit-log-maxsize": {
    advanced: true,
    type: "string",
    value: "MB",
    description: "when a new audit log is begun (100)",
  },
  "audit-log-maxbackup": {
    advanced: true,
    type: "string",
    value: "N",
    description: "how many older audit logs are kept (all)",
  },
  "audit-log-maxage": {
    advanced: true,
    type: "string",
    value: "DAYS",
    description: "how long they are kept (for ever)",
  },
  "audit-webhook-config-file": {
    advanced: true,
    type: "string",
    value: "FILE",
    description: "who is sent the same, in the format of a kubeconfig (nobody)",
  },
  "audit-webhook-mode": {
    advanced: true,
    type: "string",
    value: "MODE",
    choices: ["batch", "blocking", "blocking-strict"],
    description:
      "whether requests wait until their events were taken, or are refused if they were not (batch)",
  },
  "audit-webhook-batch-buffer-size": {
    advanced: true,
    type: "string",
    value: "N",
    description: "events that may wait to be sent (10000)",
  },
  "audit-webhook-batch-max-size": {
    advanced: true,
    type: "string",
    value: "N",
    description: "events sent at a time (400)",
  },
  "audit-webhook-batch-max-wait": {
    advanced: true,
    type: "string",
    value: "30s",
    description: "how long an event waits for others to be sent with (30s)",
  },
  "audit-webhook-batch-throttle-enable": {
    advanced: true,
    type: "string",
    value: "BOOL",
    choices: ["true", "false"],
    description: "whether there is a limit to how often events are sent (true)",
  },
  "audit-webhook-batch-throttle-qps": {
    advanced: true,
    type: "string",
    value: "N",
    description: "how often events are sent in a second (10)",
  },
  "audit-webhook-batch-throttle-burst": {
    advanced: true,
    type: "string",
    value: "N",
    description: "how often at once, after a quiet time (15)",
  },
  "audit-webhook-initial-backoff": {
    advanced: true,
    type: "string",
    value: "10s",
    description: "how long after a failure events are sent again (10s)",
  },
  "audit-webhook-truncate-enabled": {
    advanced: true,
    type: "boolean",
    description: "make events shorter that are too large, or leave them out",
  },
  "audit-webhook-truncate-max-event-size": {
    advanced: true,
    type: "string",
    value: "BYTES",
    description: "what is too large for an event (102400)",
  },
  "audit-webhook-truncate-max-batch-size": {
    advanced: true,
    type: "string",
    value: "BYTES",
    description: "what is too large for events that are sent together (10485760)",
  },
  "compaction-interval": {
    advanced: true,
    type: "string",
    value: "5m",
    description: "how long past states can be listed, or twice as long; 0s for always (5m)",
  },
  "event-ttl": { advanced: true, type: "string", value: "1h", description: "how long events are kept (1h)" },
  "shutdown-delay-duration": {
    advanced: true,
    type: "string",
    value: "0s",
    description: "how long it goes on when told to end, with /readyz failing (not at all)",
  },
  "shutdown-send-retry-after": {
    advanced: true,
    type: "boolean",
    description: "ask those who come while it ends to try again, instead of not listening",
  },
  manifests: { type: "string", value: "PATH", description: "a file or folder of YAML to begin with" },
  rules: {
    type: "string",
    value: "FILE",
    description: "what becomes of simulated pods and nodes (nothing)",
  },
  "feature-gates": {
    advanced: true,
    type: "string",
    value: "A,B",
    description: "features to switch on that Kubernetes leaves off (none)",
  },
  "service-cluster-ip-range": {
    advanced: true,
    type: "string",
    value: "CIDR,CIDR",
    description: "where Services get addresses; one of each family for dual-stack (10.96.0.0/16)",
  },
  "disable-admission": {
    advanced: true,
    type: "string",
    value: "A,B",
    description: "admission plugins to leave out",
  },
} as const satisfies Options;

/** The options it has. */
export type ClusterFlags = typeof clusterOptions;
