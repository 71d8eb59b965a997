// The parts of an Application, as pure functions of it; undefined for those it should not have.
import type { Deployment, Ingress, IngressRule, Service } from "@kubewright/api";
import { budgetFor, mergePodTemplate, serviceSpec } from "@kubewright/runtime/workload";
import type { Application } from "../api/v1/application.js";

/** On every pod of an Application, with its name. */
export const applicationLabel = "app.aiops.org/application";

const defaultPort = 8080;
const metadataOf = ({ metadata: { name = "" } }: Application) => ({
  name,
  labels: { [applicationLabel]: name },
});

export function deploymentFor(app: Application) {
  const { deployment } = app.spec;
  if (!deployment?.enabled) return undefined;
  const { image, replicas, port = defaultPort, envs, resources, podTemplate } = deployment;
  const { labels } = metadataOf(app);
  const container = {
    name: "app",
    image,
    ports: [{ containerPort: port }],
    ...(envs ? { env: envs } : {}),
    ...(resources ? { resources } : {}),
  };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  return {
    metadata: metadataOf(app),
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: mergePodTemplate(template, podTemplate),
    },
  } satisfies Deployment;
}

export function disruptionBudgetFor(app: Application) {
  const { deployment } = app.spec;
  const metadata = metadataOf(app);
  return budgetFor(
    metadata,
    metadata.labels,
    deployment?.enabled ? deployment.podDisruptionBudget : undefined,
  );
}

export function serviceFor(app: Application) {
  const { service } = app.spec;
  if (service?.enabled === false) return undefined;
  const metadata = metadataOf(app);
  return {
    metadata,
    spec: serviceSpec({ type: service?.type, ports: portsOf(app), selector: metadata.labels }),
  } satisfies Service;
}

export function ingressFor(app: Application) {
  const { ingress } = app.spec;
  const rules = ingress?.rules ?? [];
  if (!ingress?.enabled || rules.length === 0) return undefined;
  const { ingressClassName, tls } = ingress;
  return {
    metadata: metadataOf(app),
    spec: {
      ...(ingressClassName ? { ingressClassName } : {}),
      ...(tls ? { tls } : {}),
      rules: rules.map((rule) => withPaths(app, rule)),
    },
  } satisfies Ingress;
}

function portsOf({ spec }: Application) {
  const { ports = [] } = spec.service ?? {};
  const port = spec.deployment?.port ?? defaultPort;
  return ports.length > 0 ? ports : [{ name: "http", port, targetPort: port }];
}

/** A rule that names no paths leads everything to the Service. */
function withPaths(app: Application, rule: IngressRule): IngressRule {
  if (rule.http) return rule;
  const [{ port } = { port: defaultPort }] = portsOf(app);
  const backend = { service: { name: app.metadata.name ?? "", port: { number: port } } };
  return { ...rule, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } };
}
