// A model server: an image, how many of it, and the ports it answers on.
import type { ObjectOf } from "@kubewright/api";
import {
  containerImage,
  containerList,
  disruptionBudget,
  environment,
  namedLikeService,
  podTemplate,
  resourceRequirements,
  servicePortList,
  workloadColumns,
  workloadStatus,
} from "@kubewright/runtime/workload";
import { defineResource, rule, z } from "@kubewright/schema";
import { probes } from "./probes.js";

const tiers = ["small", "medium", "large", "custom"] as const;
const serviceTypes = ["ClusterIP", "NodePort", "LoadBalancer", "Headless"] as const;

const dnsLabel = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

const rollingUpdate = z
  .string()
  .max(4)
  .check(
    rule("self == '' || self.matches('^([1-9][0-9]?|100)%$')", {
      message: "must be a share from 1% to 100%: at 0% no pod could ever be replaced",
    }),
  )
  .default("25%")
  .describe("Share of the pods replaced at a time; an empty text means 25%");

const spec = z
  .object({
    name: dnsLabel.optional().describe("Name of the container. Default: the name of the object"),
    image: containerImage(),
    replicas: z.int32().min(0).default(1).describe("How many pods to run"),
    ports: servicePortList().min(1).describe("Ports of the Service"),
    serviceType: z
      .enum(serviceTypes)
      .optional()
      .describe("How the Service is reached; NodePort where a port names one, else ClusterIP"),
    tier: z
      .enum(tiers)
      .optional()
      .describe("Resources by size; custom where resources are given, else small"),
    resources: resourceRequirements().optional().describe("Resources of the container, with tier custom"),
    envs: environment().optional().describe("Environment of the container"),
    rollingUpdate,
    minReadySeconds: z
      .int32()
      .min(0)
      .default(3)
      .describe("How long a pod must be ready to count as available"),
    containers: containerList().optional().describe("Further containers"),
    initContainers: containerList().optional().describe("Containers that run to completion first"),
    probes: probes.optional().describe("How the container is probed; by default over TCP on the first port"),
    podTemplate: podTemplate(),
    podDisruptionBudget: disruptionBudget(),
  })
  .check(
    rule("!has(self.tier) || self.tier != 'custom' || has(self.resources)", "tier custom needs resources"),
    rule(
      "!has(self.tier) || self.tier == 'custom' || !has(self.resources)",
      "resources need tier custom: the other tiers bring their own",
    ),
    rule(
      "!has(self.serviceType) || self.serviceType in ['NodePort', 'LoadBalancer'] || self.ports.all(p, !has(p.nodePort) || p.nodePort == 0)",
      "node ports need serviceType NodePort or LoadBalancer",
    ),
  )
  .describe("The desired pods of the model server and their Service");

export const ModelBox = defineResource({
  group: "model.github.com",
  version: "v1",
  kind: "ModelBox",
  plural: "modelboxes",
  shortNames: ["mb"],
  spec,
  status: z
    .object(workloadStatus())
    .describe("The state of the Deployment and the Service, as last observed"),
  rules: [namedLikeService()],
  scale: { spec: ".spec.replicas", status: ".status.replicas", selector: ".status.selector" },
  columns: { ...workloadColumns, Image: ".spec.image" },
});

export type ModelBox = ObjectOf<typeof ModelBox>;
