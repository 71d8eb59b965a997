import { defineCommand, type Options } from "../command.js";

const options = {
  port: { type: "string", value: "P", description: "TLS port on 127.0.0.1 (a free one)" },
  kubeconfig: {
    type: "string",
    value: "FILE",
    description: "where to write the kubeconfig (.kubewright/kubeconfig)",
  },
  nodes: { type: "string", value: "N", description: "simulated nodes (1)" },
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
  "audit-log": { type: "string", value: "FILE", description: "who did what, as lines of JSON (nowhere)" },
  "audit-policy": {
    type: "string",
    value: "FILE",
    description: "what the audit log tells, as an audit.k8s.io/v1 Policy (metadata of every request)",
  },
  "audit-log-maxsize": { type: "string", value: "MB", description: "when a new audit log is begun (100)" },
  "audit-log-maxbackup": {
    type: "string",
    value: "N",
    description: "how many older audit logs are kept (all)",
  },
  "audit-log-maxage": { type: "string", value: "DAYS", description: "how long they are kept (for ever)" },
  "event-ttl": { type: "string", value: "1h", description: "how long events are kept (1h)" },
  manifests: { type: "string", value: "PATH", description: "a file or folder of YAML to begin with" },
  rules: {
    type: "string",
    value: "FILE",
    description: "what becomes of simulated pods and nodes (nothing)",
  },
  "feature-gates": {
    type: "string",
    value: "A,B",
    description: "features to switch on that Kubernetes leaves off (none)",
  },
  "service-cluster-ip-range": {
    type: "string",
    value: "CIDR,CIDR",
    description: "where Services get addresses; one of each family for dual-stack (10.96.0.0/16)",
  },
  "disable-admission": { type: "string", value: "A,B", description: "admission plugins to leave out" },
} as const satisfies Options;

/** The options it has. */
export type ClusterFlags = typeof options;

/** `kubewright cluster`: the embedded cluster in the foreground. */
export const clusterCommand = defineCommand({
  example: "kubewright cluster --kubeconfig ./kubeconfig & kubectl --kubeconfig ./kubeconfig get namespaces",
  options,
  load: async () => (await import("../actions/cluster.js")).clusterAction,
});
