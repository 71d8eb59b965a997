// Objects with a list of any length, for every list of the kinds people write most. kube-apiserver limits few of them.

/** An object whose list has so many entries, and where the list is. */
export interface LongList {
  readonly collection: string;
  /** The path of the list, as field errors name it. */
  readonly field: string;
  readonly object: (count: number) => object;
  /** The most entries kube-apiserver takes; absent where it has no limit. */
  readonly limit?: number;
}

export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const namespaced = (prefix: string, plural: string): string => `${prefix}/namespaces/default/${plural}`;
export const pods = namespaced("/api/v1", "pods");
const metadata = { name: "long" };
const container = { name: "app", image: "app" };

type Make = (count: number) => object;

export const pod = (spec: object): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata,
  spec: { containers: [container], ...spec },
});
const inPod = (field: string, spec: Make, limit?: number): LongList => ({
  collection: pods,
  field: `spec.${field}`,
  object: (count) => pod(spec(count)),
  ...(limit === undefined ? {} : { limit }),
});
const inContainer = (field: string, make: Make, more: object = {}): LongList =>
  inPod(`containers[0].${field}`, (count) => ({ containers: [{ ...container, ...make(count) }], ...more }));
/** A volume, mounted by its container. */
export const mounted = (volume: object): object => ({
  containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v" }] }],
  volumes: [{ name: "v", ...volume }],
});
export const items = (count: number): object[] =>
  many(count, (index) => ({ key: `k${index}`, path: `p${index}` }));
const term = (count: number): object[] =>
  many(count, (index) => ({ key: `k${index}`, operator: "In", values: ["v"] }));
const nodeAffinity = (terms: object): object => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});

const podLists: Readonly<Record<string, LongList>> = {
  containers: inPod("containers", (count) => ({
    containers: many(count, (index) => ({ name: `c${index}`, image: "i" })),
  })),
  initContainers: inPod("initContainers", (count) => ({
    initContainers: many(count, (index) => ({ name: `i${index}`, image: "i" })),
  })),
  volumes: inPod("volumes", (count) => ({
    containers: [
      {
        ...container,
        volumeMounts: many(count, (index) => ({ name: `v${index}`, mountPath: `/v${index}` })),
      },
    ],
    volumes: many(count, (index) => ({ name: `v${index}`, emptyDir: {} })),
  })),
  "items of a ConfigMap volume": inPod("volumes[0].configMap.items", (count) =>
    mounted({ configMap: { name: "c", items: items(count) } }),
  ),
  "items of a Secret volume": inPod("volumes[0].secret.items", (count) =>
    mounted({ secret: { secretName: "s", items: items(count) } }),
  ),
  "items of a downward API volume": inPod("volumes[0].downwardAPI.items", (count) =>
    mounted({
      downwardAPI: {
        items: many(count, (index) => ({ path: `p${index}`, fieldRef: { fieldPath: "metadata.name" } })),
      },
    }),
  ),
  "sources of a projected volume": inPod("volumes[0].projected.sources", (count) =>
    mounted({
      projected: {
        sources: many(count, (index) => ({
          configMap: { name: `c${index}`, items: [{ key: "k", path: `p${index}` }] },
        })),
      },
    }),
  ),
  env: inContainer("env", (count) => ({ env: many(count, (index) => ({ name: `E${index}`, value: "v" })) })),
  envFrom: inContainer("envFrom", (count) => ({
    envFrom: many(count, (index) => ({ configMapRef: { name: `c${index}` } })),
  })),
  ports: inContainer("ports", (count) => ({
    ports: many(count, (index) => ({ containerPort: 1000 + index })),
  })),
  args: inContainer("args", (count) => ({ args: many(count, String) })),
  volumeMounts: inContainer(
    "volumeMounts",
    (count) => ({ volumeMounts: many(count, (index) => ({ name: "v", mountPath: `/v${index}` })) }),
    { volumes: [{ name: "v", emptyDir: {} }] },
  ),
  tolerations: inPod("tolerations", (count) => ({
    tolerations: many(count, (index) => ({ key: `k${index}`, operator: "Exists" })),
  })),
  imagePullSecrets: inPod("imagePullSecrets", (count) => ({
    imagePullSecrets: many(count, (index) => ({ name: `s${index}` })),
  })),
  hostAliases: inPod("hostAliases", (count) => ({
    hostAliases: many(count, (index) => ({ ip: "10.0.0.1", hostnames: [`h${index}`] })),
  })),
  hostnames: inPod("hostAliases[0].hostnames", (count) => ({
    hostAliases: [{ ip: "10.0.0.1", hostnames: many(count, (index) => `h${index}`) }],
  })),
  readinessGates: inPod("readinessGates", (count) => ({
    readinessGates: many(count, (index) => ({ conditionType: `example.com/g${index}` })),
  })),
  schedulingGates: inPod("schedulingGates", (count) => ({
    schedulingGates: many(count, (index) => ({ name: `example.com/g${index}` })),
  })),
  topologySpreadConstraints: inPod("topologySpreadConstraints", (count) => ({
    topologySpreadConstraints: many(count, (index) => ({
      maxSkew: 1,
      topologyKey: `k${index}`,
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: {},
    })),
  })),
  sysctls: inPod("securityContext.sysctls", (count) => ({
    securityContext: { sysctls: many(count, (index) => ({ name: `net.a${index}`, value: "1" })) },
  })),
  supplementalGroups: inPod("securityContext.supplementalGroups", (count) => ({
    securityContext: { supplementalGroups: many(count, (index) => index) },
  })),
  "terms of the node affinity": inPod(
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
    (count) => nodeAffinity({ nodeSelectorTerms: many(count, () => ({ matchExpressions: term(1) })) }),
  ),
  "expressions of the node affinity": inPod(
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions",
    (count) => nodeAffinity({ nodeSelectorTerms: [{ matchExpressions: term(count) }] }),
  ),
  "terms of the pod anti-affinity": inPod(
    "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution",
    (count) => ({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: many(count, (index) => ({
            topologyKey: `k${index}`,
            labelSelector: { matchLabels: { a: "b" } },
          })),
        },
      },
    }),
  ),
  nameservers: inPod(
    "dnsConfig.nameservers",
    (count) => ({ dnsPolicy: "None", dnsConfig: { nameservers: many(count, () => "10.0.0.10") } }),
    3,
  ),
  "search domains": inPod(
    "dnsConfig.searches",
    (count) => ({ dnsConfig: { searches: many(count, (index) => `d${index}.local`) } }),
    32,
  ),
};

const inService = (field: string, spec: Make, limit?: number): LongList => ({
  collection: namespaced("/api/v1", "services"),
  field: `spec.${field}`,
  object: (count) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: { ports: [{ port: 80 }], ...spec(count) },
  }),
  ...(limit === undefined ? {} : { limit }),
});

const serviceLists: Readonly<Record<string, LongList>> = {
  ports: inService("ports", (count) => ({
    ports: many(count, (index) => ({ name: `p${index}`, port: 1000 + index })),
  })),
  externalIPs: inService("externalIPs", (count) => ({
    externalIPs: many(count, (index) => `203.0.${Math.floor(index / 200)}.${(index % 200) + 1}`),
  })),
  loadBalancerSourceRanges: inService("loadBalancerSourceRanges", (count) => ({
    type: "LoadBalancer",
    loadBalancerSourceRanges: many(count, (index) => `10.${Math.floor(index / 200)}.${index % 200}.0/24`),
  })),
};

const backend = { service: { name: "s", port: { number: 80 } } };
const path = (index: number): object => ({ path: `/p${index}`, pathType: "Prefix", backend });
const inIngress = (field: string, spec: Make): LongList => ({
  collection: namespaced("/apis/networking.k8s.io/v1", "ingresses"),
  field: `spec.${field}`,
  object: (count) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata,
    spec: { defaultBackend: backend, ...spec(count) },
  }),
});

const ingressLists: Readonly<Record<string, LongList>> = {
  rules: inIngress("rules", (count) => ({
    rules: many(count, (index) => ({ host: `h${index}.example.com`, http: { paths: [path(0)] } })),
  })),
  paths: inIngress("rules[0].http.paths", (count) => ({ rules: [{ http: { paths: many(count, path) } }] })),
  tls: inIngress("tls", (count) => ({ tls: many(count, (index) => ({ secretName: `s${index}` })) })),
  "hosts of tls": inIngress("tls[0].hosts", (count) => ({
    tls: [{ secretName: "s", hosts: many(count, (index) => `h${index}.example.com`) }],
  })),
};

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const inRole = (field: string, rules: Make): LongList => ({
  collection: namespaced(rbac, "roles"),
  field,
  object: (count) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata,
    rules: rules(count),
  }),
});

const rbacLists: Readonly<Record<string, LongList>> = {
  "rules of a Role": inRole("rules", (count) => many(count, () => rule)),
  ...Object.fromEntries(
    ["verbs", "resources", "apiGroups", "resourceNames"].map((name) => [
      `${name} of a rule`,
      inRole(`rules[0].${name}`, (count) => [{ ...rule, [name]: many(count, (index) => `n${index}`) }]),
    ]),
  ),
  "subjects of a RoleBinding": {
    collection: namespaced(rbac, "rolebindings"),
    field: "subjects",
    object: (count) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
      subjects: many(count, (index) => ({ kind: "ServiceAccount", name: `s${index}`, namespace: "default" })),
    }),
  },
  "selectors of an aggregated ClusterRole": {
    collection: `${rbac}/clusterroles`,
    field: "aggregationRule.clusterRoleSelectors",
    object: (count) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata,
      aggregationRule: {
        clusterRoleSelectors: many(count, (index) => ({ matchLabels: { [`l${index}`]: "true" } })),
      },
    }),
  },
};

const inPolicy = (field: string, spec: Make, limit?: number): LongList => ({
  collection: namespaced("/apis/networking.k8s.io/v1", "networkpolicies"),
  field: `spec.${field}`,
  object: (count) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata,
    spec: { podSelector: {}, ...spec(count) },
  }),
  ...(limit === undefined ? {} : { limit }),
});
const peer = (index: number): object => ({ podSelector: { matchLabels: { a: `v${index}` } } });

const networkPolicyLists: Readonly<Record<string, LongList>> = {
  ingress: inPolicy("ingress", (count) => ({ ingress: many(count, (index) => ({ from: [peer(index)] })) })),
  egress: inPolicy("egress", (count) => ({ egress: many(count, (index) => ({ to: [peer(index)] })) })),
  from: inPolicy("ingress[0].from", (count) => ({ ingress: [{ from: many(count, peer) }] })),
  to: inPolicy("egress[0].to", (count) => ({ egress: [{ to: many(count, peer) }] })),
  ports: inPolicy("ingress[0].ports", (count) => ({
    ingress: [{ ports: many(count, (index) => ({ port: index + 1 })) }],
  })),
  "exceptions of a block": inPolicy("ingress[0].from[0].ipBlock.except", (count) => ({
    ingress: [
      {
        from: [
          {
            ipBlock: {
              cidr: "10.0.0.0/8",
              except: many(count, (index) => `10.${Math.floor(index / 200)}.${index % 200}.0/24`),
            },
          },
        ],
      },
    ],
  })),
};

const webhook = (name: string): object => ({
  name: `${name}.example.com`,
  clientConfig: { url: "https://127.0.0.1:1/hook" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [{ operations: ["CREATE"], apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["things"] }],
});
const inWebhooks = (field: string, webhooks: (count: number) => object[], limit?: number): LongList => ({
  collection: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  field,
  object: (count) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata,
    webhooks: webhooks(count),
  }),
  ...(limit === undefined ? {} : { limit }),
});
const webhookRule = (index: number): object => ({
  operations: ["CREATE"],
  apiGroups: ["example.com"],
  apiVersions: ["v1"],
  resources: [`things${index}`],
});

const webhookLists: Readonly<Record<string, LongList>> = {
  webhooks: inWebhooks("webhooks", (count) => many(count, (index) => webhook(`w${index}`))),
  rules: inWebhooks("webhooks[0].rules", (count) => [{ ...webhook("w"), rules: many(count, webhookRule) }]),
  resources: inWebhooks("webhooks[0].rules[0].resources", (count) => [
    { ...webhook("w"), rules: [{ ...webhookRule(0), resources: many(count, (index) => `r${index}`) }] },
  ]),
  admissionReviewVersions: inWebhooks("webhooks[0].admissionReviewVersions", (count) => [
    { ...webhook("w"), admissionReviewVersions: ["v1", ...many(count - 1, (index) => `v${index + 2}`)] },
  ]),
  matchConditions: inWebhooks(
    "webhooks[0].matchConditions",
    (count) => [
      {
        ...webhook("w"),
        matchConditions: many(count, (index) => ({ name: `c${index}`, expression: "true" })),
      },
    ],
    64,
  ),
};

const version = (name: string, more: object = {}, properties: object = {}): object => ({
  name,
  served: true,
  storage: name === "v1",
  schema: {
    openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
  },
  ...more,
});
const inCrd = (
  field: string,
  spec: (count: number) => { versions?: object[]; names?: object },
  limit?: number,
): LongList => ({
  collection: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  field: `spec.${field}`,
  object: (count) => {
    const { versions = [version("v1")], names = {} } = spec(count);
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.long.example.com" },
      spec: {
        group: "long.example.com",
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing", ...names },
        versions,
      },
    };
  },
  ...(limit === undefined ? {} : { limit }),
});
const text = { type: "string" };

const crdLists: Readonly<Record<string, LongList>> = {
  versions: inCrd("versions", (count) => ({
    versions: many(count, (index) => version(`v${index + 1}`)),
  })),
  shortNames: inCrd("names.shortNames", (count) => ({
    names: { shortNames: many(count, (index) => `t${index}`) },
  })),
  categories: inCrd("names.categories", (count) => ({
    names: { categories: many(count, (index) => `c${index}`) },
  })),
  additionalPrinterColumns: inCrd("versions[0].additionalPrinterColumns", (count) => ({
    versions: [
      version("v1", {
        additionalPrinterColumns: many(count, (index) => ({
          name: `c${index}`,
          type: "string",
          jsonPath: `.spec.c${index}`,
        })),
      }),
    ],
  })),
  enum: inCrd("versions[0].schema.openAPIV3Schema.properties[spec].properties[e].enum", (count) => ({
    versions: [version("v1", {}, { e: { ...text, enum: many(count, (index) => `e${index}`) } })],
  })),
  required: inCrd("versions[0].schema.openAPIV3Schema.properties[spec].properties[r].required", (count) => ({
    versions: [
      version(
        "v1",
        {},
        {
          r: {
            type: "object",
            properties: Object.fromEntries(many(count, (index) => [`p${index}`, text])),
            required: many(count, (index) => `p${index}`),
          },
        },
      ),
    ],
  })),
  "validation rules": inCrd(
    "versions[0].schema.openAPIV3Schema.properties[spec].properties[n].x-kubernetes-validations",
    (count) => ({
      versions: [
        version(
          "v1",
          {},
          {
            n: {
              type: "integer",
              "x-kubernetes-validations": many(count, (index) => ({ rule: `self != ${index}` })),
            },
          },
        ),
      ],
    }),
  ),
  selectableFields: inCrd(
    // Said once for all versions when they all have the same, as kube-apiserver keeps them.
    "selectableFields",
    (count) => ({
      versions: [
        version(
          "v1",
          { selectableFields: many(count, (index) => ({ jsonPath: `.spec.f${index}` })) },
          Object.fromEntries(many(count, (index) => [`f${index}`, text])),
        ),
      ],
    }),
    8,
  ),
};

export const longLists: Readonly<Record<string, Readonly<Record<string, LongList>>>> = {
  Pod: podLists,
  Service: serviceLists,
  Ingress: ingressLists,
  RBAC: rbacLists,
  NetworkPolicy: networkPolicyLists,
  "webhook configuration": webhookLists,
  CustomResourceDefinition: crdLists,
};
