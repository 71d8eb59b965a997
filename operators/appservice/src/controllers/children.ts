// The objects an AppService consists of, as pure functions of it.
import type { Deployment, Service } from "@kubewright/api";
import { budgetFor, containerPorts, mergePodTemplate, serviceSpec } from "@kubewright/runtime/workload";
import type { AppService } from "../api/v1/app-service.js";

/** On every pod of an AppService, with its name. */
export const appLabel = "app.example.com/service";

export function deploymentFor({ metadata: { name = "" }, spec }: AppService) {
  const { size, image, resources, envs, ports = [], podTemplate } = spec;
  const labels = { [appLabel]: name };
  const container = {
    name: "app",
    image,
    ...(ports.length > 0 ? { ports: containerPorts(ports) } : {}),
    ...(resources ? { resources } : {}),
    ...(envs ? { env: envs } : {}),
  };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  return {
    metadata: { name, labels },
    spec: {
      replicas: size,
      selector: { matchLabels: labels },
      template: mergePodTemplate(template, podTemplate),
    },
  } satisfies Deployment;
}

export function disruptionBudgetFor({ metadata: { name = "" }, spec }: AppService) {
  const labels = { [appLabel]: name };
  return budgetFor({ name, labels }, labels, spec.podDisruptionBudget);
}

/** None without ports: there would be nothing to reach. */
export function serviceFor({ metadata: { name = "" }, spec }: AppService) {
  const { ports = [], serviceType: type } = spec;
  if (ports.length === 0) return undefined;
  const labels = { [appLabel]: name };
  return {
    metadata: { name, labels },
    spec: serviceSpec({ type, ports, selector: labels }),
  } satisfies Service;
}
