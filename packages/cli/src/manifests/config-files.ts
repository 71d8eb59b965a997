// The files of config/: kustomize bases, one object or two that belong together in each.
import type { CustomResourceDefinition } from "@kubewright/api";
import { definitionsOf, type Manifest, type Operator } from "./operator.js";
import { kindRoles, managerRoles, type NamedManifests, readerRoles, serviceAccount } from "./rbac.js";
import {
  deployment,
  disruptionBudgets,
  metricsPolicy,
  metricsService,
  namespaceOf,
  serviceMonitor,
  webhookPolicy,
  webhookService,
} from "./workload.js";
import { yamlDocuments, yamlText } from "./yaml-text.js";

/** Files by their path in the project, without their first line. */
export type Files = ReadonlyMap<string, string>;

/** Everything under config/ but the samples. */
export function configFiles(operator: Operator): Files {
  const { settings, hasWebhooks } = operator;
  const bases = [
    "../crd",
    "../rbac",
    "../manager",
    ...(hasWebhooks ? ["../webhook"] : []),
    ...(settings.prometheus ? ["../prometheus"] : []),
    ...(settings.networkPolicy ? ["../network-policy"] : []),
  ];
  return new Map([
    ...base(
      "crd",
      definitionsOf(operator).map((crd) => ({ file: definitionFile(crd), objects: [crd] })),
    ),
    ...base("rbac", rbacFiles(operator)),
    ...base("manager", [
      { file: "manager.yaml", objects: [deployment(operator)] },
      { file: "metrics_service.yaml", objects: [metricsService(operator)] },
      ...disruptionBudgets(operator).map((object) => ({ file: "disruption_budget.yaml", objects: [object] })),
    ]),
    ...(hasWebhooks ? base("webhook", webhookFiles(operator)) : []),
    ...base("prometheus", [{ file: "monitor.yaml", objects: [serviceMonitor(operator)] }]),
    ...base("network-policy", policyFiles(operator)),
    ["config/default/namespace.yaml", yamlText(namespaceOf(operator))],
    ["config/default/kustomization.yaml", kustomization(["namespace.yaml", ...bases])],
  ]);
}

/** What `config/default` comes to, in the order it can be applied: also what dist/install.yaml has. */
export function installObjects(operator: Operator): readonly (Manifest | CustomResourceDefinition)[] {
  const { settings, hasWebhooks } = operator;
  const all = (files: readonly Base[]) => files.flatMap(({ objects }) => objects);
  return [
    namespaceOf(operator),
    ...definitionsOf(operator),
    ...all(rbacFiles(operator)),
    deployment(operator),
    metricsService(operator),
    ...disruptionBudgets(operator),
    ...(hasWebhooks ? all(webhookFiles(operator)) : []),
    ...(settings.prometheus ? [serviceMonitor(operator)] : []),
    ...(settings.networkPolicy ? all(policyFiles(operator)) : []),
  ];
}

interface Base {
  readonly file: string;
  readonly objects: readonly (Manifest | CustomResourceDefinition)[];
}

function base(folder: string, files: readonly Base[]): [string, string][] {
  return [
    ...files.map(({ file, objects }): [string, string] => [
      `config/${folder}/${file}`,
      yamlDocuments(objects),
    ]),
    [`config/${folder}/kustomization.yaml`, kustomization(files.map(({ file }) => file))],
  ];
}

/** A base of these resources. */
export function kustomization(resources: readonly string[]): string {
  return yamlText({ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources });
}

/** `bases/model.github.com_modelboxes.yaml`. */
export function definitionFile({ spec }: CustomResourceDefinition): string {
  return `bases/${spec.group}_${spec.names.plural}.yaml`;
}

export function rbacFiles(operator: Operator): readonly Base[] {
  const file = ({ file: name, objects }: NamedManifests): Base => ({ file: `${name}.yaml`, objects });
  return [
    { file: "service_account.yaml", objects: [serviceAccount(operator)] },
    ...managerRoles(operator).map(file),
    ...readerRoles(operator).map(file),
    ...operator.kinds.flatMap((kind) => kindRoles(operator, kind)).map(file),
  ];
}

/** The Service, and the configurations that point at it; the manager adds whom to trust. */
export function webhookFiles(operator: Operator): readonly Base[] {
  const { mutating, validating } = operator.webhooks;
  const configurations = [mutating, validating].filter((one) => one !== undefined).map(manifestOf);
  return [
    { file: "service.yaml", objects: [webhookService(operator)] },
    ...(configurations.length === 0 ? [] : [{ file: "manifests.yaml", objects: configurations }]),
  ];
}

function manifestOf(configuration: NonNullable<Operator["webhooks"]["mutating" | "validating"]>): Manifest {
  const { apiVersion = "", kind = "", metadata, ...rest } = configuration;
  return { apiVersion, kind, metadata: { name: metadata?.name ?? "", labels: metadata?.labels }, ...rest };
}

function policyFiles(operator: Operator): readonly Base[] {
  return [
    { file: "allow_metrics_traffic.yaml", objects: [metricsPolicy(operator)] },
    ...(operator.hasWebhooks
      ? [{ file: "allow_webhook_traffic.yaml", objects: [webhookPolicy(operator)] }]
      : []),
  ];
}
