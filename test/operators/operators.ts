// The application operators of this repository, as the suites here see them.
import { ConfigMap, Deployment, type KubeObject, Service } from "@kubewright/api";
import { customKindsOf, type ManagerDefinition } from "@kubewright/runtime";
import type { TestCluster } from "@kubewright/testing";
import application from "../../operators/application/src/main.js";
import appservice from "../../operators/appservice/src/main.js";
import guestbook from "../../operators/guestbook/src/main.js";
import modelbox from "../../operators/modelbox/src/main.js";

/** What a suite needs to know of an operator. */
export interface OperatorUnderTest {
  readonly name: string;
  readonly manager: ManagerDefinition;
  /** The kind it is for; its objects have the conditions Available, Progressing and Degraded. */
  readonly kind: string;
  /** The kinds of the children of every object. */
  readonly children: readonly (typeof Deployment | typeof Service)[];
  readonly spec: object;
  /** Changes the spec so that its pods must be replaced. */
  readonly change: object;
  /** The optional lists of the spec, each with something in it; they may be empty or absent as well. */
  readonly lists: object;
  /** What it says of an object that lacks all its schema demands. */
  readonly whenEmpty: RegExp;
  /** What its objects need to be there. */
  prepare?(cluster: TestCluster): Promise<unknown>;
}

const ports = [{ port: 80, targetPort: 8080 }];
const envs = [{ name: "A", value: "1" }];
const podTemplate = {
  spec: {
    imagePullSecrets: [{ name: "registry" }],
    tolerations: [{ key: "gpu", operator: "Exists" }],
    volumes: [{ name: "tmp", emptyDir: {} }],
  },
};
const container = (name: string) => ({
  name,
  image: "nginx:1.27",
  env: envs,
  ports: [{ containerPort: 9000 }],
});

export const operators: readonly OperatorUnderTest[] = [
  {
    name: "modelbox",
    manager: modelbox,
    kind: "ModelBox",
    children: [Deployment, Service],
    spec: { image: "nginx:1.27", replicas: 2, ports },
    change: { image: "nginx:1.28" },
    lists: {
      envs,
      containers: [container("side")],
      initContainers: [{ ...container("first"), image: "busybox:1.36" }],
      podTemplate,
    },
    whenEmpty:
      /does not satisfy its schema any more: spec.image: Required value; .*spec.ports: Required value/,
  },
  {
    name: "appservice",
    manager: appservice,
    kind: "AppService",
    children: [Deployment, Service],
    spec: { image: "nginx:1.27", size: 2, ports },
    change: { image: "nginx:1.28" },
    lists: { envs, ports, podTemplate },
    whenEmpty: /containers\[0\].image: Required value/,
  },
  {
    name: "application",
    manager: application,
    kind: "Application",
    children: [Deployment, Service],
    spec: { deployment: { image: "nginx:1.27", replicas: 2 } },
    change: { deployment: { image: "nginx:1.28" } },
    lists: {
      deployment: { envs, podTemplate },
      service: { ports },
      ingress: { rules: [{ host: "web.example.com" }], tls: [{ hosts: ["web.example.com"] }] },
    },
    whenEmpty: /containers\[0\].image: Required value/,
  },
  {
    name: "guestbook",
    manager: guestbook,
    kind: "Guestbook",
    children: [Deployment],
    spec: { size: 2, configMapName: "guests" },
    change: { type: "Phone" },
    lists: { podTemplate },
    whenEmpty: /there is no ConfigMap/,
    prepare: (cluster) => cluster.create(ConfigMap, { name: "guests", data: { TITLE: "Guests" } }),
  },
];

/** The kind an operator is for, with the conditions every one of them has. */
export function kindOf({ manager, kind }: OperatorUnderTest) {
  const found = customKindsOf(manager).find((each) => each.kind === kind);
  if (!found) throw new Error(`${manager.name} has no kind ${kind}`);
  return found as unknown as typeof Deployment;
}

/** Options for a test cluster that runs the operator. */
export function running({ manager }: OperatorUnderTest) {
  return { resources: customKindsOf(manager), manager };
}

/** Creates an object and waits until all its pods are up to date and available. */
export async function settled(
  cluster: TestCluster,
  operator: OperatorUnderTest,
  name = "web",
): Promise<void> {
  await operator.prepare?.(cluster);
  await create(cluster, operator, name);
  // As long as a cluster in virtual time waits by default: a real one may have to pull images.
  const options = { timeout: "10m" };
  await cluster.condition(kindOf(operator), name, "Progressing", "False", options);
  await cluster.condition(kindOf(operator), name, "Available", "True", options);
}

export function create(
  cluster: TestCluster,
  operator: OperatorUnderTest,
  name: string,
  spec: object = operator.spec,
): Promise<KubeObject> {
  return cluster.create(kindOf(operator), { name, spec } as never);
}
