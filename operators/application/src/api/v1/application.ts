// An application on the web: pods, a Service in front of them, and where people reach it from outside.
import type { ObjectOf } from "@kubewright/api";
import {
  containerImage,
  disruptionBudget,
  environment,
  namedLikeService,
  podTemplate,
  resourceRequirements,
  servicePortList,
  workloadStatus,
} from "@kubewright/runtime/workload";
import { defineResource, kube, z } from "@kubewright/schema";

const enabled = z.boolean().default(true).describe("Set to false to have no such part");

const deployment = z.object({
  enabled,
  image: containerImage(),
  replicas: z.int32().min(0).default(1).describe("How many pods to run"),
  port: z.int32().min(1).max(65535).default(8080).describe("Where the container listens"),
  envs: environment().optional().describe("Environment of the container"),
  resources: resourceRequirements().optional().describe("Resources of the container"),
  podTemplate: podTemplate(),
  podDisruptionBudget: disruptionBudget(),
});

const service = z.object({
  enabled,
  type: z
    .enum(["ClusterIP", "NodePort", "LoadBalancer", "Headless"])
    .default("ClusterIP")
    .describe("How the Service is reached; Headless is ClusterIP None"),
  ports: servicePortList().optional().describe("Where it answers. Default: the port of the deployment"),
});

const ingress = z.object({
  enabled,
  ingressClassName: z
    .string()
    .max(253)
    .optional()
    .describe("Which ingress controller serves it. Default: the default IngressClass"),
  rules: z
    .array(kube.IngressRule)
    .max(64)
    .optional()
    .describe("Hosts and paths; a rule without paths leads all of its host to the Service"),
  tls: z.array(kube.IngressTLS).max(64).optional().describe("Certificates for the hosts"),
});

const part = z.object({
  ready: z.boolean().describe("Whether the object exists and is ready"),
  message: z.string().optional().describe("Why it is not ready"),
});

export const Application = defineResource({
  group: "app.aiops.org",
  version: "v1",
  kind: "Application",
  spec: z
    .object({
      deployment: deployment.optional().describe("What runs; without it nothing does"),
      service: service
        .optional()
        .describe("How it is reached in the cluster; on the port of the deployment by default"),
      ingress: ingress.optional().describe("How it is reached from outside; needs rules"),
    })
    .describe("The desired parts of the application; each is optional"),
  status: z
    .object({
      ...workloadStatus(),
      deployment: part.optional().describe("State of the Deployment"),
      service: part.optional().describe("State of the Service"),
      ingress: part.optional().describe("State of the Ingress"),
      host: z.string().optional().describe("The first host of the Ingress"),
      url: z.string().optional().describe("Address of the application from outside the cluster"),
    })
    .describe("The state of the application, as the operator last observed it"),
  rules: [namedLikeService()],
  scale: { spec: ".spec.deployment.replicas", status: ".status.replicas", selector: ".status.selector" },
  columns: {
    Ready: '.status.conditions[?(@.type=="Available")].status',
    Host: ".status.host",
  },
});

export type Application = ObjectOf<typeof Application>;
