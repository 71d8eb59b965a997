// Ordinary objects of many kinds: what hostile ones are made from.

export interface Sample {
  /** The collection. */
  readonly path: string;
  readonly object: { readonly metadata: { readonly name: string } } & Readonly<Record<string, unknown>>;
  readonly subresources?: readonly string[];
}

const pod = {
  serviceAccountName: "default",
  restartPolicy: "Always",
  nodeSelector: { disk: "ssd" },
  tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }],
  volumes: [
    { name: "config", configMap: { name: "c", items: [{ key: "a", path: "b" }] } },
    { name: "scratch", emptyDir: { sizeLimit: "1Gi" } },
  ],
  containers: [
    {
      name: "web",
      image: "nginx:1",
      command: ["run"],
      env: [
        { name: "A", value: "$(B)" },
        { name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      ],
      ports: [{ name: "http", containerPort: 80 }],
      resources: { requests: { cpu: "100m" }, limits: { cpu: 1, memory: "1Gi" } },
      volumeMounts: [{ name: "config", mountPath: "/etc/c", readOnly: true }],
      readinessProbe: { httpGet: { path: "/", port: "http" }, periodSeconds: 5 },
      securityContext: { runAsUser: 1000, capabilities: { drop: ["ALL"] } },
    },
  ],
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: "zone",
          labelSelector: { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] },
        },
      ],
    },
  },
};
const template = { metadata: { labels: { app: "web" } }, spec: pod };
const selector = { matchLabels: { app: "web" } };
const meta = { name: "sample", labels: { app: "web" }, annotations: { note: "x" } };
const namespaced = (group: string, plural: string): string =>
  group === "v1" ? `/api/v1/namespaces/default/${plural}` : `/apis/${group}/namespaces/default/${plural}`;

const of = (
  apiVersion: string,
  kind: string,
  plural: string,
  rest: object,
  subresources: readonly string[] = [],
): Sample => ({
  path: namespaced(apiVersion, plural),
  object: { apiVersion, kind, metadata: meta, ...rest },
  subresources,
});

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, default: 3 },
        name: { type: "string", pattern: "^[a-z]+$", maxLength: 10 },
        list: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, port: { "x-kubernetes-int-or-string": true } },
          },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
      "x-kubernetes-validations": [
        { rule: "self.size < 10 || has(self.name)", message: "large ones need names" },
      ],
    },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
};

export const definition: Sample = {
  path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  object: {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gadgets.robust.example.com" },
    spec: {
      group: "robust.example.com",
      scope: "Namespaced",
      names: { plural: "gadgets", singular: "gadget", kind: "Gadget", shortNames: ["gd"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
          },
          additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
          selectableFields: [{ jsonPath: ".spec.name" }],
        },
      ],
    },
  },
};

export const gadget: Sample = of(
  "robust.example.com/v1",
  "Gadget",
  "gadgets",
  {
    spec: {
      size: 2,
      name: "abc",
      list: [
        { name: "a", port: 1 },
        { name: "b", port: "x" },
      ],
      free: { a: [1, { b: null }] },
    },
  },
  ["status", "scale"],
);

const clientConfig = { url: "https://127.0.0.1:1/hook" };
const rules = [
  { apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothings"] },
];

export const samples: readonly Sample[] = [
  of("v1", "ConfigMap", "configmaps", { data: { a: "b" }, binaryData: { c: "YQ==" } }),
  of("v1", "Secret", "secrets", {
    type: "kubernetes.io/basic-auth",
    stringData: { username: "u" },
    data: { password: "cA==" },
  }),
  of(
    "v1",
    "Service",
    "services",
    {
      spec: {
        type: "NodePort",
        selector: { app: "web" },
        ports: [
          { name: "http", port: 80, targetPort: "http" },
          { name: "b", port: 81, nodePort: 30_080 },
        ],
        sessionAffinity: "ClientIP",
      },
    },
    ["status"],
  ),
  of("v1", "Pod", "pods", { spec: pod }, ["status", "ephemeralcontainers", "resize"]),
  of(
    "v1",
    "PersistentVolumeClaim",
    "persistentvolumeclaims",
    { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    ["status"],
  ),
  of("v1", "ServiceAccount", "serviceaccounts", {
    secrets: [{ name: "s" }],
    imagePullSecrets: [{ name: "p" }],
  }),
  of("v1", "ResourceQuota", "resourcequotas", { spec: { hard: { pods: "10", "requests.cpu": "4" } } }, [
    "status",
  ]),
  of("v1", "LimitRange", "limitranges", {
    spec: { limits: [{ type: "Container", default: { cpu: "1" }, max: { cpu: "2" } }] },
  }),
  of("v1", "Event", "events", {
    involvedObject: { kind: "Pod", namespace: "default", name: "p" },
    reason: "Because",
    count: 1,
    firstTimestamp: "2026-01-01T00:00:00Z",
    type: "Normal",
  }),
  of(
    "apps/v1",
    "Deployment",
    "deployments",
    {
      spec: {
        replicas: 2,
        selector,
        template,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
      },
    },
    ["status", "scale"],
  ),
  of(
    "apps/v1",
    "StatefulSet",
    "statefulsets",
    {
      spec: {
        serviceName: "s",
        replicas: 1,
        selector,
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: "d" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
    ["status", "scale"],
  ),
  of("apps/v1", "DaemonSet", "daemonsets", { spec: { selector, template } }, ["status"]),
  of(
    "batch/v1",
    "Job",
    "jobs",
    {
      spec: {
        completions: 2,
        parallelism: 1,
        backoffLimit: 3,
        template: { spec: { ...pod, restartPolicy: "Never" } },
        podFailurePolicy: {
          rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
        },
      },
    },
    ["status"],
  ),
  of(
    "batch/v1",
    "CronJob",
    "cronjobs",
    {
      spec: {
        schedule: "*/5 * * * *",
        timeZone: "Etc/UTC",
        jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: "Never" } } } },
      },
    },
    ["status"],
  ),
  of(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscalers",
    {
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        maxReplicas: 5,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
          },
        ],
      },
    },
    ["status"],
  ),
  of(
    "policy/v1",
    "PodDisruptionBudget",
    "poddisruptionbudgets",
    { spec: { minAvailable: "50%", selector } },
    ["status"],
  ),
  of(
    "networking.k8s.io/v1",
    "Ingress",
    "ingresses",
    {
      spec: {
        rules: [
          {
            host: "a.example.com",
            http: {
              paths: [
                { path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } },
              ],
            },
          },
        ],
        tls: [{ hosts: ["a.example.com"], secretName: "t" }],
      },
    },
    ["status"],
  ),
  of("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", {
    spec: {
      podSelector: {},
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
          ports: [{ port: 80, endPort: 90 }],
        },
      ],
    },
  }),
  of("coordination.k8s.io/v1", "Lease", "leases", {
    spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" },
  }),
  of("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
    ports: [{ name: "http", port: 80 }],
  }),
  of("rbac.authorization.k8s.io/v1", "Role", "roles", {
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  }),
  of("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    subjects: [{ kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" }],
  }),
  {
    path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    object: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "sample" },
      webhooks: [
        {
          name: "a.example.com",
          clientConfig,
          rules,
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          matchConditions: [{ name: "m", expression: "request.name != 'x'" }],
        },
      ],
    },
  },
  {
    path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    object: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "sample" },
      spec: {
        matchConstraints: { resourceRules: rules },
        validations: [{ expression: "object.metadata.name.size() < 5", message: "long" }],
        variables: [{ name: "v", expression: "object.spec" }],
      },
    },
  },
  {
    path: "/api/v1/nodes",
    object: {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "sample" },
      spec: { taints: [{ key: "a", effect: "NoSchedule" }], podCIDR: "10.0.0.0/24" },
    },
    subresources: ["status"],
  },
  {
    path: "/api/v1/persistentvolumes",
    object: {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "sample" },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } },
    },
    subresources: ["status"],
  },
  definition,
  gadget,
];
