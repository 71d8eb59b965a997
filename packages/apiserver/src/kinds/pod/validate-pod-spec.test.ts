import { describe, expect, it } from "vitest";
import { podServer } from "../fixtures/pod-server.js";

const server = podServer();
const wrongWith = async (spec: object, metadata: object = {}) => {
  const { wrong } = await server;
  return (await wrong(spec, metadata)).map((cause) => cause.replace(/^spec\./, ""));
};
const two = (container: object) => ({ containers: [{ name: "c", image: "i", ...container }] });
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

describe("pod validation: scheduling", () => {
  it.each<[what: string, spec: object, errors: string[]]>([
    [
      "gates",
      { nodeName: "n", schedulingGates: [{ name: "a.b/c" }, { name: "a.b/c" }] },
      [
        'schedulingGates[1]: Duplicate value: "a.b/c"',
        "nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
      ],
    ],
    [
      "a node affinity without terms",
      { affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: [] } } } },
      [
        `affinity.nodeAffinity.${required}.nodeSelectorTerms: Required value: must have at least one node selector term`,
      ],
    ],
    [
      "node affinities",
      {
        affinity: {
          nodeAffinity: {
            [required]: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: "a", operator: "In" },
                    { key: "a", operator: "Exists", values: ["x"] },
                    { key: "a", operator: "Gt", values: ["1", "2"] },
                    { key: "a", operator: "Near" },
                  ],
                  matchFields: [{ key: "metadata.uid", operator: "Exists", values: [] }],
                },
              ],
            },
            [preferred]: [{ weight: 0, preference: {} }],
          },
        },
      },
      [
        "matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        "matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        "matchExpressions[2].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        'matchExpressions[3].operator: Invalid value: "Near": not a valid selector operator',
        'matchFields[0].operator: Invalid value: "Exists": not a valid selector operator',
        'matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key',
      ]
        .map((error) => `affinity.nodeAffinity.${required}.nodeSelectorTerms[0].${error}`)
        .concat(`affinity.nodeAffinity.${preferred}[0].weight: Invalid value: 0: must be in the range 1-100`),
    ],
    [
      "pod affinities",
      {
        affinity: {
          podAffinity: { [required]: [{ topologyKey: "", labelSelector: {}, matchLabelKeys: ["a"] }] },
          podAntiAffinity: {
            [preferred]: [{ weight: 101, podAffinityTerm: { topologyKey: "zone", namespaces: ["A"] } }],
          },
        },
      },
      [
        `affinity.podAffinity.${required}[0].topologyKey: Required value: can not be empty`,
        `affinity.podAffinity.${required}[0].topologyKey: Invalid value: "": name part must be non-empty`,
        `affinity.podAffinity.${required}[0].topologyKey: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        `affinity.podAntiAffinity.${preferred}[0].weight: Invalid value: 101: must be in the range 1-100`,
        `affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.namespace: Invalid value: "A": ${label}`,
      ],
    ],
    [
      "spread",
      {
        topologySpreadConstraints: [
          { maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Never" },
          { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", minDomains: 2 },
          { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", matchLabelKeys: ["a"] },
        ],
      },
      [
        "topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
        "topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
        'topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway"',
        "topologySpreadConstraints[1].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
        'topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, ScheduleAnyway}"',
        "topologySpreadConstraints[2].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
      ],
    ],
    [
      "tolerations",
      {
        tolerations: [
          { operator: "Equal" },
          { key: "a", operator: "Exists", value: "b" },
          { key: "a", effect: "Nothing" },
          { key: "a", effect: "NoSchedule", tolerationSeconds: 1 },
          { key: "a", operator: "Like" },
        ],
      },
      [
        'tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
        "tolerations[1].operator: Invalid value: \"b\": value must be empty when `operator` is 'Exists'",
        'tolerations[2].effect: Unsupported value: "Nothing": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        "tolerations[3].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
        'tolerations[4].operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
      ],
    ],
    [
      "a selector that is no labels",
      { nodeSelector: { "a b": "c" } },
      [expect.stringMatching(/^nodeSelector: Invalid value: "a b": name part must consist/)],
    ],
  ])("%s", async (_, spec, errors) => {
    expect((await wrongWith(spec)).sort()).toEqual([...errors].sort());
  });
});

describe("pod validation: spec", () => {
  it.each<[what: string, spec: object, errors: string[]]>([
    ["no container", { containers: [] }, ["containers: Required value"]],
    [
      "unknown policies",
      { restartPolicy: "Maybe", dnsPolicy: "Magic" },
      [
        'restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"',
        'dnsPolicy: Unsupported value: "Magic": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
      ],
    ],
    [
      "a deadline that has passed",
      { activeDeadlineSeconds: 0 },
      ["activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"],
    ],
    [
      "names",
      { hostname: "A", subdomain: "B", serviceAccountName: "_", nodeName: "_" },
      ["serviceAccountName", "nodeName", "hostname", "subdomain"].map((field) =>
        expect.stringMatching(new RegExp(`^${field}: Invalid value: ".*": a lowercase RFC 1123`)),
      ),
    ],
    [
      "no name server",
      { dnsPolicy: "None" },
      ["dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
    ],
    [
      "name servers",
      {
        dnsConfig: {
          nameservers: ["1.1.1.1", "x", "2.2.2.2", "3.3.3.3"],
          searches: ["a_b..c"],
          options: [{ value: "v" }],
        },
      },
      [
        'dnsConfig.nameservers: Invalid value: ["1.1.1.1","x","2.2.2.2","3.3.3.3"]: must not have more than 3 nameservers',
        expect.stringMatching(/^dnsConfig\.nameservers\[1\]: Invalid value: "x": must be a valid IP address/),
        expect.stringMatching(
          /^dnsConfig\.searches\[0\]: Invalid value: "a_b\.\.c": a lowercase RFC 1123 subdomain/,
        ),
        "dnsConfig.options[0]: Required value: must not be empty",
      ],
    ],
    [
      "host aliases",
      { hostAliases: [{ ip: "x", hostnames: ["A_"] }] },
      [
        expect.stringMatching(/^hostAliases\[0\]\.ip: Invalid value: "x": must be a valid IP address/),
        expect.stringMatching(
          /^hostAliases\[0\]\.hostnames\[0\]: Invalid value: "A_": a lowercase RFC 1123 subdomain/,
        ),
      ],
    ],
    [
      "ports on the network of the host",
      { hostNetwork: true, ...two({ ports: [{ containerPort: 80, hostPort: 81 }] }) },
      [
        "containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true",
      ],
    ],
    [
      "gates of readiness",
      { readinessGates: [{ conditionType: "a b" }] },
      [
        expect.stringMatching(
          /^readinessGates\[0\]\.conditionType: Invalid value: "a b": name part must consist/,
        ),
      ],
    ],
    [
      "claims",
      {
        resourceClaims: [
          { name: "a" },
          { name: "a", resourceClaimName: "x", resourceClaimTemplateName: "y" },
          { name: "A", resourceClaimName: "X" },
        ],
      },
      [
        'resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
        'resourceClaims[1].name: Duplicate value: "a"',
        'resourceClaims[1]: Invalid value: {"Name":"a","ResourceClaimName":"x","ResourceClaimTemplateName":"y"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
        expect.stringMatching(/^resourceClaims\[2\]\.name: Invalid value: "A": a lowercase RFC 1123 label/),
        expect.stringMatching(
          /^resourceClaims\[2\]\.resourceClaimName: Invalid value: "X": a lowercase RFC 1123 subdomain/,
        ),
      ],
    ],
    [
      "resources of the pod",
      {
        resources: { requests: { cpu: "1", "example.com/gpu": "1" }, limits: { memory: "1Gi" } },
        ...two({ resources: { requests: { cpu: "2" }, limits: { memory: "2Gi" } } }),
      },
      expect.arrayContaining([
        'resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
        'resources.containers[0][memory].limits: Invalid value: "2Gi": must be less than or equal to pod limits of 1Gi',
      ]) as never,
    ],
    [
      "ids",
      {
        securityContext: {
          runAsUser: -1,
          fsGroup: -2,
          supplementalGroups: [-3],
          sysctls: [{ name: "a..b", value: "" }],
        },
      },
      [
        "securityContext.fsGroup: Invalid value: -2: must be between 0 and 2147483647, inclusive",
        "securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
        "securityContext.supplementalGroups[0]: Invalid value: -3: must be between 0 and 2147483647, inclusive",
        expect.stringMatching(
          /^securityContext\.sysctls\[0\]\.name: Invalid value: "a\.\.b": must have at most 253 characters and match regex/,
        ),
      ],
    ],
    [
      "sysctls that need the pod's own namespaces",
      {
        hostNetwork: true,
        hostIPC: true,
        securityContext: {
          sysctls: [
            { name: "net.a", value: "1" },
            { name: "kernel.sem", value: "1" },
            { name: "net.a", value: "1" },
          ],
        },
      },
      [
        "securityContext.sysctls[0].name: Invalid value: \"net.a\": may not be specified when 'hostNetwork' is true",
        "securityContext.sysctls[1].name: Invalid value: \"kernel.sem\": may not be specified when 'hostIPC' is true",
        'securityContext.sysctls[2].name: Duplicate value: "net.a"',
        "securityContext.sysctls[2].name: Invalid value: \"net.a\": may not be specified when 'hostNetwork' is true",
      ],
    ],
    [
      "profiles",
      {
        securityContext: {
          seccompProfile: { type: "Localhost" },
          appArmorProfile: { type: "Unconfined", localhostProfile: "x" },
        },
      },
      [
        "securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
        'securityContext.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost',
      ],
    ],
    [
      "an unknown system",
      { os: { name: "plan9" } },
      ['os: Unsupported value: "plan9": supported values: "linux", "windows"'],
    ],
    [
      "what only linux has on windows, one after the other",
      {
        os: { name: "windows" },
        hostUsers: false,
        shareProcessNamespace: true,
        securityContext: { seLinuxOptions: {}, seccompProfile: { type: "RuntimeDefault" }, runAsUser: 1 },
      },
      [
        "securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod",
        "hostUsers: Forbidden: cannot be set for a windows pod",
        "securityContext.seccompProfile: Forbidden: cannot be set for a windows pod",
        "shareProcessNamespace: Forbidden: cannot be set for a windows pod",
        "securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
      ],
    ],
    [
      "windows options on linux",
      { os: { name: "linux" }, securityContext: { windowsOptions: { runAsUserName: "a" } } },
      ["securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod"],
    ],
    [
      "linux options on windows",
      { os: { name: "windows" }, hostPID: true, ...two({ securityContext: { privileged: true } }) },
      [
        "hostPID: Forbidden: cannot be set for a windows pod",
        "containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod",
      ],
    ],
    [
      "a process of the host off its network",
      two({ securityContext: { windowsOptions: { hostProcess: true } } }),
      [
        "hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers",
      ],
    ],
    [
      "a shared process namespace with that of the host",
      { hostPID: true, shareProcessNamespace: true },
      [
        "securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
      ],
    ],
    [
      "ephemeral containers",
      { ephemeralContainers: [{ name: "e", image: "i" }] },
      ["ephemeralContainers: Forbidden: cannot be set on create"],
    ],
  ])("%s", async (_, spec, errors) => {
    expect(await wrongWith(spec)).toEqual(errors);
  });
});

describe("pod validation: annotations", () => {
  const key = "container.apparmor.security.beta.kubernetes.io";
  it.each<[what: string, annotations: object, errors: string[]]>([
    [
      "a mirror of nothing",
      { "kubernetes.io/config.mirror": "x" },
      [
        'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
      ],
    ],
    [
      "a cost that is no number",
      { "controller.kubernetes.io/pod-deletion-cost": "+1" },
      [
        'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
      ],
    ],
    [
      "a profile for no container",
      { [`${key}/x`]: "unknown" },
      [
        `metadata.annotations[${key}/x]: Invalid value: "x": container not found`,
        `metadata.annotations[${key}/x]: Invalid value: "unknown": invalid AppArmor profile name: "unknown"`,
      ],
    ],
  ])("%s", async (_, annotations, errors) => {
    expect(await wrongWith({}, { annotations })).toEqual(errors);
  });

  it("must agree with fields", async () => {
    const annotations = { [`${key}/c`]: "unconfined" };
    const securityContext = { appArmorProfile: { type: "RuntimeDefault" } };
    expect(await wrongWith(two({ securityContext }), { annotations })).toEqual([
      "containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match",
    ]);
  });
});
