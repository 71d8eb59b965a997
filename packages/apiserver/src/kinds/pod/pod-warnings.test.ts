import { expect, it } from "vitest";
import { podServer } from "../fixtures/pod-server.js";

const server = podServer();
const one = (container: object) => ({ containers: [{ name: "c", image: "i", ...container }] });

it.each<[what: string, spec: object, metadata: object, warnings: string[]]>([
  ["an ordinary pod", {}, {}, []],
  [
    "a name that is no hostname",
    {},
    { name: "a.b" },
    [
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ],
  ],
  [
    "old labels of nodes",
    { nodeSelector: { "beta.kubernetes.io/os": "linux" } },
    {},
    ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
  ],
  [
    "old annotations",
    {},
    { annotations: { "scheduler.alpha.kubernetes.io/critical-pod": "" } },
    [
      'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
    ],
  ],
  [
    "old volumes",
    { volumes: [{ name: "v", rbd: { monitors: ["m"], image: "i" } }] },
    {},
    ["spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+"],
  ],
  [
    "a variable twice",
    one({
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
        { name: "A", value: "$(A)3" },
      ],
    }),
    {},
    ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
  ],
  [
    "half a byte",
    one({ resources: { requests: { memory: "0.5" } } }),
    {},
    [
      'spec.containers[0].resources.requests[memory]: fractional byte value "500m" is invalid, must be an integer',
    ],
  ],
  [
    "fractions of bytes, in the order of their kinds",
    one({
      resources: {
        limits: { "ephemeral-storage": "500m", memory: "500m" },
        requests: { "ephemeral-storage": "500m", memory: "500m" },
      },
    }),
    {},
    ["limits[memory]", "requests[memory]", "limits[ephemeral-storage]", "requests[ephemeral-storage]"].map(
      (at) =>
        `spec.containers[0].resources.${at}: fractional byte value "500m" is invalid, must be an integer`,
    ),
  ],
  [
    "a profile in an annotation, before all others",
    {},
    { name: "a.b", annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" } },
    [
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ],
  ],
  [
    "one port twice",
    one({ ports: [{ containerPort: 80 }, { containerPort: 80 }, { containerPort: 80, hostPort: 8080 }] }),
    {},
    [
      "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[1]",
    ],
  ],
  [
    "secrets without or with one name",
    { imagePullSecrets: [{ name: "a" }, { name: "a" }, {}] },
    {},
    [
      'spec.imagePullSecrets[1].name: duplicate name "a"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
    ],
  ],
  [
    "a constraint about no pods",
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }] },
    {},
    ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
  ],
])("pod: warnings about %s", async (_, spec, metadata, warnings) => {
  const { attempt } = await server;
  const answer = await attempt(spec, metadata);
  expect(answer.status).toBe(201);
  expect(answer.warnings.map((text) => text.replace(/^299 - "(.*)"$/, "$1").replaceAll('\\"', '"'))).toEqual(
    warnings,
  );
});
