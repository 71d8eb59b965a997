// The objects a ModelBox consists of, as pure functions of it.
import type { Container, Deployment, ObjectOf, Service, ServicePort } from "@kubewright/api";
import type { ModelBox } from "../api/v1/model-box.js";

type Box = ObjectOf<typeof ModelBox>;

/** What ties the Service and the pods of a box together. */
const labelsOf = (box: Box) => ({
  "app.kubernetes.io/name": "modelbox",
  "app.kubernetes.io/instance": nameOf(box),
});

const nameOf = (box: Box): string => box.metadata.name ?? "";

export function deploymentFor(box: Box) {
  const labels = labelsOf(box);
  const { replicas, rollingUpdate } = box.spec;
  return {
    metadata: { name: nameOf(box), labels },
    spec: {
      replicas,
      minReadySeconds: 3,
      selector: { matchLabels: labels },
      strategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxSurge: rollingUpdate, maxUnavailable: rollingUpdate },
      },
      template: { metadata: { labels }, spec: { containers: [containerFor(box)] } },
    },
  } as const satisfies Deployment;
}

function containerFor(box: Box): Container {
  const { image, envs, resources, ports } = box.spec;
  return {
    name: box.spec.name ?? nameOf(box),
    image,
    ...(envs ? { env: envs } : {}),
    ...(resources ? { resources } : {}),
    ports: ports.map((port) => ({ containerPort: containerPort(port), protocol: port.protocol })),
  };
}

/** A named target port is looked up in the container, so only a number says which port to open. */
const containerPort = ({ port, targetPort }: ServicePort): number =>
  typeof targetPort === "number" ? targetPort : port;

export function serviceFor(box: Box) {
  const { ports } = box.spec;
  const type = ports.some((port) => port.nodePort) ? "NodePort" : "ClusterIP";
  return {
    metadata: { name: nameOf(box), labels: labelsOf(box) },
    spec: { type, selector: labelsOf(box), ports },
  } as const satisfies Service;
}
