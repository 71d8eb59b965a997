// Warnings for objects that are accepted, kind by kind, with the text of kube-apiserver.
import { describe, expect, it } from "vitest";
import { kindServer } from "./fixtures/kind-server.js";

const oldOs = 'deprecated since v1.14; use "kubernetes.io/os" instead';
const os = "beta.kubernetes.io/os";
const containers = [{ name: "c", image: "i" }];

async function warningsFor(path: string, object: object): Promise<string[]> {
  const { call } = await kindServer({ disableAdmission: ["ServiceAccount"] });
  const { status, body, warnings } = await call("POST", path, { metadata: { name: "x" }, ...object });
  expect(body.message ?? status).toBe(201);
  return warnings.map((text) => JSON.parse(text.replace(/^299 - /, "")));
}

const volume = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } };
const labels = { app: "a" };

const casesOf: Readonly<Record<string, [content: object, warnings: string[]][]>> = {
  PersistentVolume: [
    [
      { spec: { ...volume, hostPath: { path: "/a" }, persistentVolumeReclaimPolicy: "Recycle" } },
      [
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
      ],
    ],
    [
      { spec: { ...volume, cephfs: { monitors: ["m"] } } },
      ["spec.cephfs: deprecated in v1.28, non-functional in v1.31+"],
    ],
    [
      {
        spec: {
          ...volume,
          hostPath: { path: "/a" },
          nodeAffinity: {
            required: { nodeSelectorTerms: [{ matchExpressions: [{ key: os, operator: "Exists" }] }] },
          },
        },
      },
      [`spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: ${os} is ${oldOs}`],
    ],
  ],
  StorageClass: [
    [
      {
        provisioner: "p",
        allowedTopologies: [{ matchLabelExpressions: [{ key: os, values: ["linux"] }] }],
      },
      [`allowedTopologies[0].matchLabelExpressions[0].key: ${oldOs}`],
    ],
  ],
  CSIStorageCapacity: [
    [
      {
        storageClassName: "c",
        nodeTopology: { matchLabels: { [os]: "x" }, matchExpressions: [{ key: os, operator: "Exists" }] },
      },
      [`nodeTopology.matchExpressions[0].key: ${os} is ${oldOs}`, `nodeTopology.matchLabels.${os}: ${oldOs}`],
    ],
  ],
  RuntimeClass: [
    [{ handler: "h", scheduling: { nodeSelector: { [os]: "x" } } }, [`scheduling.nodeSelector: ${oldOs}`]],
  ],
  Node: [
    [
      { spec: { externalID: "x" } },
      ["spec.externalID: this field is deprecated, and is unused by Kubernetes"],
    ],
  ],
  NetworkPolicy: [
    [
      {
        spec: {
          podSelector: {},
          egress: [{ to: [{ ipBlock: { cidr: "2001:DB8::/32", except: ["2001:db8:0::/48"] } }] }],
        },
      },
      [
        'spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
        'spec.egress[0].to[0].ipBlock.except[0]: IPv6 CIDR value "2001:db8:0::/48" should be in RFC 5952 canonical format ("2001:db8::/48")',
      ],
    ],
  ],
  EndpointSlice: [
    [
      { addressType: "FQDN", endpoints: [{ addresses: ["a.b"] }] },
      ["spec.addressType: FQDN endpoints are deprecated"],
    ],
    [
      { addressType: "IPv6", endpoints: [{ addresses: ["2001:DB8::1"] }] },
      [
        'endpoints[0].addresses[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      ],
    ],
    [
      {
        metadata: {
          name: "x",
          labels: { "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io" },
        },
        addressType: "IPv6",
        endpoints: [{ addresses: ["2001:DB8::1"] }],
      },
      [],
    ],
  ],
  Service: [
    [
      { spec: { type: "LoadBalancer", ports: [{ port: 1 }], loadBalancerSourceRanges: ["2001:DB8::/32"] } },
      [
        'spec.loadBalancerSourceRanges[0]: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
      ],
    ],
  ],
  StatefulSet: [
    [
      {
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
          volumeClaimTemplates: [
            {
              metadata: { name: "v" },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1500m" } } },
            },
          ],
        },
      },
      [
        'spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
      ],
    ],
  ],
  Pod: [
    [
      { spec: { containers: [{ ...containers[0], ports: [{ containerPort: 80, hostIP: "10.0.0.1" }] }] } },
      [
        "spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}",
      ],
    ],
    [
      {
        spec: {
          containers: [
            { ...containers[0], ports: [{ containerPort: 80, name: "http" }] },
            { name: "d", image: "i", ports: [{ containerPort: 81, name: "http" }] },
          ],
        },
      },
      [
        'spec.containers[1].ports[0]: duplicate port name "http" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
      ],
    ],
    [
      {
        spec: {
          containers,
          volumes: [
            {
              name: "v",
              configMap: {
                name: "m",
                items: [
                  { key: "a", path: "p" },
                  { key: "b", path: "p/q" },
                  { key: "c", path: "pq" },
                ],
              },
            },
          ],
        },
      },
      ['volume "v" (ConfigMap "m"): overlapping paths: "p/q" with "p"'],
    ],
    [
      {
        spec: {
          containers,
          volumes: [
            {
              name: "v",
              projected: {
                sources: [
                  { configMap: { name: "m", items: [{ key: "a", path: "p/q" }] } },
                  { secret: { name: "s", items: [{ key: "b", path: "p" }] } },
                  {},
                ],
              },
            },
          ],
        },
      },
      [
        'volume "v" (Projected) has no sources provided',
        'volume "v" (Projected): overlapping paths: "p" (Secret "s") with "p/q" (ConfigMap "m")',
      ],
    ],
    [
      {
        spec: {
          containers,
          dnsConfig: { nameservers: ["2001:DB8::1"] },
          hostAliases: [{ ip: "2001:db8:0::2", hostnames: ["h"] }],
        },
      },
      [
        'spec.dnsConfig.nameservers[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
        'spec.hostAliases[0].ip: IPv6 address "2001:db8:0::2" should be in RFC 5952 canonical format ("2001:db8::2")',
      ],
    ],
    [
      {
        spec: {
          containers,
          volumes: [
            {
              name: "v",
              ephemeral: {
                volumeClaimTemplate: {
                  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1500m" } } },
                },
              },
            },
          ],
        },
      },
      [
        'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
      ],
    ],
  ],
};

describe.each([
  ["/api/v1/persistentvolumes", "v1", "PersistentVolume"],
  ["/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io/v1", "StorageClass"],
  ["/apis/storage.k8s.io/v1/namespaces/test/csistoragecapacities", "storage.k8s.io/v1", "CSIStorageCapacity"],
  ["/apis/node.k8s.io/v1/runtimeclasses", "node.k8s.io/v1", "RuntimeClass"],
  ["/api/v1/nodes", "v1", "Node"],
  ["/apis/networking.k8s.io/v1/namespaces/test/networkpolicies", "networking.k8s.io/v1", "NetworkPolicy"],
  ["/apis/discovery.k8s.io/v1/namespaces/test/endpointslices", "discovery.k8s.io/v1", "EndpointSlice"],
  ["/api/v1/namespaces/test/services", "v1", "Service"],
  ["/apis/apps/v1/namespaces/test/statefulsets", "apps/v1", "StatefulSet"],
  ["/api/v1/namespaces/test/pods", "v1", "Pod"],
])("%s", (path, apiVersion, kind) => {
  const cases = casesOf[kind] ?? [];
  it.each(cases)("warns about %j", async (content, expected) => {
    expect(await warningsFor(path, { apiVersion, kind, ...content })).toEqual(expected);
  });
});
