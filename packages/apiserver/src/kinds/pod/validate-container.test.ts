import { describe, expect, it } from "vitest";
import { podServer } from "../fixtures/pod-server.js";

const server = podServer();
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** The validation errors of a container of a pod that has a volume `v`. */
const wrongWith = async (container: object, spec: object = {}) => {
  const { wrong } = await server;
  const volumes = [{ name: "v" }, { name: "claim", persistentVolumeClaim: { claimName: "x" } }];
  const causes = await wrong({ volumes, containers: [{ name: "c", image: "i", ...container }], ...spec });
  return causes.map((cause) => cause.replace("spec.containers[0].", ""));
};

describe("container validation", () => {
  it.each<[what: string, container: object, errors: string[]]>([
    ["nothing", { name: "", image: "" }, ["name: Required value", "image: Required value"]],
    ["a name in capitals", { name: "C" }, [`name: Invalid value: "C": ${label}`]],
    [
      "a padded image",
      { image: " i " },
      ['image: Invalid value: " i ": must not have leading or trailing whitespace'],
    ],
    [
      "unknown policies",
      { imagePullPolicy: "Sometimes", terminationMessagePolicy: "Log" },
      [
        'terminationMessagePolicy: Unsupported value: "Log": supported values: "File", "FallbackToLogsOnError"',
        'imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
      ],
    ],
    [
      "ports",
      {
        ports: [
          { containerPort: 0, name: "web" },
          { containerPort: 70000, name: "web" },
          { containerPort: 1, hostPort: -1, protocol: "ICMP", name: "A_B" },
        ],
      },
      [
        "ports[0].containerPort: Required value",
        'ports[1].name: Duplicate value: "web"',
        "ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
        'ports[2].name: Invalid value: "A_B": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'ports[2].name: Invalid value: "A_B": must contain at least one letter (a-z)',
        "ports[2].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive",
        'ports[2].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
      ],
    ],
    [
      "ports of the host twice",
      { ports: [80, 81].map((containerPort) => ({ containerPort, hostPort: 8080 })) },
      ['ports[1].hostPort: Duplicate value: "TCP//8080"'],
    ],
    [
      "variables",
      {
        env: [
          { name: "" },
          { name: "A=B" },
          { name: "A", value: "v", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "B", valueFrom: {} },
          { name: "C", valueFrom: { fieldRef: { fieldPath: "spec.unknown" } } },
          { name: "D", valueFrom: { resourceFieldRef: { resource: "limits.gpu" } } },
          { name: "E", valueFrom: { secretKeyRef: { name: "s", key: "" } } },
          { name: "F", valueFrom: { configMapKeyRef: { name: "m", key: "a b" } } },
        ],
      },
      [
        "env[0].name: Required value",
        "env[1].name: Invalid value: \"A=B\": a valid environment variable name must consist only of printable ASCII characters other than '='",
        'env[2].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
        'env[3].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
        'env[4].valueFrom.fieldRef.fieldPath: Invalid value: "spec.unknown": error converting fieldPath: field label not supported: spec.unknown',
        'env[5].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
        "env[6].valueFrom.secretKeyRef.key: Required value",
        "env[7].valueFrom.configMapKeyRef.key: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ],
    ],
    [
      "variables from elsewhere",
      {
        envFrom: [
          {},
          { configMapRef: { name: "" } },
          { secretRef: { name: "s" }, configMapRef: { name: "m" } },
        ],
      },
      [
        'envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
        "envFrom[1].configMapRef.name: Required value",
        'envFrom: Invalid value: "": may not have more than one field specified at a time',
      ],
    ],
    [
      "mounts",
      {
        volumeMounts: [
          { name: "absent", mountPath: "/a" },
          { name: "v", mountPath: "" },
          { name: "v", mountPath: "/b", subPath: "../c" },
          { name: "v", mountPath: "/b", subPath: "a", subPathExpr: "$(A)" },
          { name: "v", mountPath: "/d", mountPropagation: "Bidirectional" },
        ],
      },
      [
        'volumeMounts[0].name: Not found: "absent"',
        "volumeMounts[1].mountPath: Required value",
        "volumeMounts.subPath: Invalid value: \"../c\": must not contain '..'",
        'volumeMounts[3].mountPath: Invalid value: "/b": must be unique',
        'volumeMounts[3].subPathExpr: Invalid value: "$(A)": subPathExpr and subPath are mutually exclusive',
        "volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
      ],
    ],
    [
      "devices",
      {
        volumeMounts: [{ name: "claim", mountPath: "/m" }],
        volumeDevices: [
          { name: "v", devicePath: "/dev/a" },
          { name: "claim", devicePath: "/dev/../b" },
        ],
      },
      [
        'volumeMounts[0].name: Invalid value: "claim": must not already exist in volumeDevices',
        'volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        "volumeDevices[1].devicePath: Invalid value: \"/dev/../b\": can not contain backsteps ('..')",
        'volumeDevices[1].name: Invalid value: "claim": must not already exist in volumeMounts',
      ],
    ],
    [
      "amounts",
      {
        resources: {
          limits: { cpu: "1" },
          requests: { cpu: "2", memory: "-1", "example.com/gpu": "1.5", foo: "1" },
        },
      },
      [
        'resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
        'resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0',
        'resources.requests[example.com/gpu]: Invalid value: "1500m": must be an integer',
        "resources.limits: Required value: Limit must be set for non overcommitable resources",
        'resources.requests[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        'resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers',
      ],
    ],
    [
      "huge pages alone",
      { resources: { limits: { "hugepages-2Mi": "3Mi" } } },
      [
        'resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        "resources: Forbidden: HugePages require cpu or memory",
      ],
    ],
    [
      "undeclared claims",
      { resources: { claims: [{ name: "gpu" }] } },
      [
        'resources.claims[0]: Not found: "gpu": must be one of the names in pod.spec.resourceClaims which is empty',
      ],
    ],
    [
      "probes",
      {
        livenessProbe: { successThreshold: 2, initialDelaySeconds: -1, tcpSocket: { port: 0 } },
        readinessProbe: { exec: {}, httpGet: { port: 80 }, terminationGracePeriodSeconds: 1 },
        startupProbe: {},
      },
      [
        "livenessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive",
        "livenessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0",
        "livenessProbe.successThreshold: Invalid value: 2: must be 1",
        "readinessProbe.exec.command: Required value",
        "readinessProbe.httpGet: Forbidden: may not specify more than 1 handler type",
        "readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes",
        "startupProbe: Required value: must specify a handler type",
      ],
    ],
    [
      "hooks",
      {
        lifecycle: {
          preStop: { sleep: { seconds: 60 } },
          postStart: { httpGet: { port: "", scheme: "FTP" } },
        },
      },
      [
        'lifecycle.postStart.httpGet.port: Invalid value: "": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'lifecycle.postStart.httpGet.port: Invalid value: "": must contain at least one letter (a-z)',
        'lifecycle.postStart.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
        "lifecycle.preStop.sleep: Invalid value: 60: must be non-negative and less than terminationGracePeriodSeconds (30)",
      ],
    ],
    [
      "contradicting privileges",
      {
        securityContext: {
          privileged: true,
          allowPrivilegeEscalation: false,
          runAsUser: -1,
          procMount: "All",
        },
      },
      [
        "securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
        'securityContext.procMount: Unsupported value: "All": supported values: "Default", "Unmasked"',
        'securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":-1,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":"All","SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      ],
    ],
    [
      "resize policies",
      {
        resizePolicy: [
          { resourceName: "cpu", restartPolicy: "NotRequired" },
          { resourceName: "cpu", restartPolicy: "Sometimes" },
          { resourceName: "disk", restartPolicy: "NotRequired" },
        ],
      },
      [
        'resizePolicy[1]: Duplicate value: "cpu"',
        'resizePolicy: Unsupported value: "Sometimes": supported values: "NotRequired", "RestartContainer"',
        'resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"',
      ],
    ],
    [
      "restart rules",
      {
        restartPolicyRules: [
          { action: "Restart", exitCodes: { operator: "In", values: [1, 1] } },
          { action: "Restart" },
        ],
      },
      [
        "restartPolicy: Required value: must specify restartPolicy when restart rules are used",
        "restartPolicyRules[1].exitCodes: Required value: must be specified",
      ],
    ],
  ])("%s", async (_, container, errors) => {
    expect(await wrongWith(container)).toEqual(errors);
  });
});

describe("init container validation", () => {
  const withInit = async (...initContainers: object[]) => {
    const { wrong } = await server;
    return wrong({ initContainers: initContainers.map((own) => ({ name: "i", image: "i", ...own })) });
  };
  const probe = { exec: { command: ["true"] } };

  it("refuses probes without restartPolicy Always", async () => {
    expect(await withInit({ livenessProbe: probe, lifecycle: {} })).toEqual([
      "spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always",
      "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ]);
    expect(await withInit({ livenessProbe: probe, restartPolicy: "Always" })).toEqual([]);
  });

  it("refuses names of other containers", async () => {
    expect(await withInit({ name: "c" }, {}, {})).toEqual([
      'spec.initContainers[0].name: Duplicate value: "c"',
      'spec.initContainers[2].name: Duplicate value: "i"',
    ]);
  });
});
