// The manager in a cluster: its Deployment, the Services in front of it, and who may reach and scrape them.
import { certificateFolder, certificateMount, certificateVolume, usesCertManager } from "./cert-manager.js";
import { type Manifest, type Operator, podLabels, ports } from "./operator.js";
import { usesLeader } from "./rbac.js";

const security = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
} as const;

export function namespaceOf({ settings, labels }: Operator): Manifest {
  const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: settings.namespace,
      labels: { ...labels, "control-plane": "controller-manager", ...restricted },
    },
  };
}

export function deployment(operator: Operator): Manifest {
  const { names, settings, labels } = operator;
  const { manager } = settings;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: names.deployment,
      namespace: settings.namespace,
      labels: { ...manager.labels, ...labels, ...podLabels(operator) },
      ...stated({ annotations: manager.annotations }),
    },
    spec: {
      replicas: settings.replicas,
      selector: { matchLabels: podLabels(operator) },
      // A new pod is ready before an old one goes, so that webhooks are always answered.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: {
          annotations: { "kubectl.kubernetes.io/default-container": "manager", ...manager.podAnnotations },
          labels: { ...manager.podLabels, ...labels, ...podLabels(operator) },
        },
        spec: {
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          serviceAccountName: names.serviceAccount,
          // Reconciles under way get 30 s to finish, and webhooks are answered for 5 s, or up to 30 s where asked for, in the same time.
          terminationGracePeriodSeconds: 40,
          containers: [container(operator)],
          ...stated({
            imagePullSecrets: manager.imagePullSecrets,
            nodeSelector: manager.nodeSelector,
            tolerations: manager.tolerations,
            affinity: manager.affinity,
            topologySpreadConstraints: manager.topologySpreadConstraints,
            priorityClassName: manager.priorityClassName,
            volumes: usesCertManager(operator)
              ? [certificateVolume(operator), ...manager.volumes]
              : manager.volumes,
          }),
        },
      },
    },
  };
}

/** Without what is empty. */
function stated(fields: Readonly<Record<string, object | string>>): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) =>
      typeof value === "string" ? value !== "" : Object.keys(value).length > 0,
    ),
  );
}

function container(operator: Operator) {
  const { definition, settings, hasWebhooks } = operator;
  const { manager } = settings;
  const probe = (path: string, times: object) => ({ httpGet: { path, port: "health" }, ...times });
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  return {
    name: "manager",
    image: settings.image,
    ...stated({ imagePullPolicy: manager.imagePullPolicy }),
    args: [
      ...(usesLeader(definition) ? ["--leader-elect"] : []),
      `--health-probe-bind-address=:${ports.health}`,
      `--metrics-bind-address=:${ports.metrics}`,
      ...(usesCertManager(operator) ? [`--webhook-cert-path=${certificateFolder}`] : []),
      ...manager.args,
    ],
    env: [field("POD_NAME", "metadata.name"), field("POD_NAMESPACE", "metadata.namespace"), ...manager.env],
    ports: [
      { name: "health", containerPort: ports.health, protocol: "TCP" },
      { name: "metrics", containerPort: ports.metrics, protocol: "TCP" },
      ...(hasWebhooks ? [{ name: "webhooks", containerPort: ports.webhooks, protocol: "TCP" }] : []),
    ],
    livenessProbe: probe("/healthz", { initialDelaySeconds: 15, periodSeconds: 20 }),
    readinessProbe: probe("/readyz", { initialDelaySeconds: 2, periodSeconds: 10 }),
    resources: manager.resources,
    securityContext: security,
    ...stated({
      volumeMounts: usesCertManager(operator)
        ? [certificateMount, ...manager.volumeMounts]
        : manager.volumeMounts,
    }),
  };
}

/** Keeps a drained node from taking all replicas at once; empty where no budget is asked for. */
export function disruptionBudgets(operator: Operator): readonly Manifest[] {
  const { names, settings, labels } = operator;
  const budget = settings.manager.podDisruptionBudget;
  if (Object.keys(budget).length === 0) return [];
  return [
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: names.deployment, namespace: settings.namespace, labels },
      spec: { ...budget, selector: { matchLabels: podLabels(operator) } },
    },
  ];
}

export function metricsService(operator: Operator): Manifest {
  return service(operator, operator.names.metricsService, {
    name: "metrics",
    port: ports.metrics,
    targetPort: "metrics",
  });
}

export function webhookService(operator: Operator): Manifest {
  return service(operator, operator.names.webhookService, {
    name: "webhooks",
    port: 443,
    targetPort: "webhooks",
  });
}

function service(operator: Operator, name: string, port: object): Manifest {
  const { settings, labels } = operator;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name,
      namespace: settings.namespace,
      labels: { ...labels, "control-plane": "controller-manager" },
    },
    spec: { selector: podLabels(operator), ports: [{ ...port, protocol: "TCP" }] },
  };
}

/** For the Prometheus operator. The certificate is made by the manager itself, so nobody can vouch for it. */
export function serviceMonitor(operator: Operator): Manifest {
  const { names, settings, labels } = operator;
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name: `${names.manager}-metrics-monitor`, namespace: settings.namespace, labels },
    spec: {
      endpoints: [
        {
          path: "/metrics",
          port: "metrics",
          scheme: "https",
          bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
          tlsConfig: { insecureSkipVerify: true },
        },
      ],
      selector: { matchLabels: podLabels(operator) },
    },
  };
}

/** Metrics for namespaces labelled `metrics: enabled`. */
export function metricsPolicy(operator: Operator): Manifest {
  const from = [{ namespaceSelector: { matchLabels: { metrics: "enabled" } } }];
  return policy(operator, "allow-metrics-traffic", {
    from,
    ports: [{ port: ports.metrics, protocol: "TCP" }],
  });
}

/** Webhooks for everybody: where an API server calls from cannot be said in a policy. */
export function webhookPolicy(operator: Operator): Manifest {
  return policy(operator, "allow-webhook-traffic", { ports: [{ port: ports.webhooks, protocol: "TCP" }] });
}

function policy(operator: Operator, name: string, ingress: object): Manifest {
  const { names, settings, labels } = operator;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: `${names.manager}-${name}`, namespace: settings.namespace, labels },
    spec: { podSelector: { matchLabels: podLabels(operator) }, policyTypes: ["Ingress"], ingress: [ingress] },
  };
}
