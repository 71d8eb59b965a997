// The files of config/: kustomize bases, one object or two that belong together in each.
import type { CustomResourceDefinition } from "@kubewright/api";
import { applyPatches, refuseUnnamed } from "./apply-patches.js";
import { usesCertManager, webhookCertificate } from "./cert-manager.js";
import { type EditedFiles, editedObjects } from "./edited-files.js";
import { dashboardConfigMap, dashboardText, prometheusRule } from "./monitoring.js";
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

/** An output beside config/, and what the user should know about it. */
export interface Output {
  readonly files: Files;
  readonly warnings: readonly string[];
}

/** Everything under config/ but the samples and what is the user's own. */
export function configFiles(operator: Operator): Files {
  const { patches, resources } = operator.settings.patches;
  const bases = foldersOf(operator).filter(({ isDefault }) => isDefault);
  return new Map([
    ...foldersOf(operator).flatMap(({ folder, files }) => base(folder, files)),
    ...(operator.settings.grafana
      ? ([["config/grafana/dashboard.json", dashboardText(operator)]] as const)
      : []),
    ["config/default/namespace.yaml", yamlText(namespaceOf(operator))],
    [
      "config/default/kustomization.yaml",
      kustomization(
        ["namespace.yaml", ...bases.map(({ folder }) => `../${folder}`)],
        patches.length + resources.length > 0 ? ["../patches"] : [],
      ),
    ],
  ]);
}

/** Generated files that somebody edited. */
export function editedOf(operator: Operator): EditedFiles {
  const { edited } = operator.settings;
  if (edited.size === 0) return edited;
  const generated = configFiles(operator);
  return new Map([...edited].filter(([path]) => generated.has(path)));
}

/** What `config/default` comes to, in the order it can be applied: also what dist/install.yaml has, and what is deployed. */
export function installObjects(operator: Operator): readonly (Manifest | CustomResourceDefinition)[] {
  const { settings } = operator;
  const files: readonly Base[] = [
    { file: "config/default/namespace.yaml", objects: [namespaceOf(operator)] },
    ...foldersOf(operator)
      .filter(({ isDefault }) => isDefault)
      .flatMap(({ folder, files: ofFolder }) =>
        ofFolder.map(({ file, objects }) => ({ file: `config/${folder}/${file}`, objects })),
      ),
  ];
  const objects = [
    ...files.flatMap(({ file, objects: generated }) => editedObjects(settings, file) ?? generated),
    ...settings.patches.resources,
  ];
  const patched = applyPatches(objects, settings.patches.patches);
  refuseUnnamed(patched, objects);
  return patched.objects;
}

interface Base {
  readonly file: string;
  readonly objects: readonly (Manifest | CustomResourceDefinition)[];
}

interface Folder {
  readonly folder: string;
  readonly files: readonly Base[];
  /** Whether config/default takes it in. */
  readonly isDefault: boolean;
}

/** The folders of config/, in the order in which their objects can be applied. */
function foldersOf(operator: Operator): readonly Folder[] {
  const { settings, hasWebhooks } = operator;
  const definitions = definitionsOf(operator).map((crd) => ({ file: definitionFile(crd), objects: [crd] }));
  const manager = [
    { file: "manager.yaml", objects: [deployment(operator)] },
    { file: "metrics_service.yaml", objects: [metricsService(operator)] },
    ...disruptionBudgets(operator).map((object) => ({ file: "disruption_budget.yaml", objects: [object] })),
  ];
  return [
    { folder: "crd", files: definitions, isDefault: true },
    { folder: "rbac", files: rbacFiles(operator), isDefault: true },
    { folder: "manager", files: manager, isDefault: true },
    ...(hasWebhooks ? [{ folder: "webhook", files: webhookFiles(operator), isDefault: true }] : []),
    ...(usesCertManager(operator)
      ? [
          {
            folder: "certmanager",
            files: [{ file: "certificate.yaml", objects: webhookCertificate(operator) }],
            isDefault: true,
          },
        ]
      : []),
    {
      folder: "prometheus",
      files: [
        { file: "monitor.yaml", objects: [serviceMonitor(operator)] },
        { file: "alerts.yaml", objects: [prometheusRule(operator)] },
      ],
      isDefault: settings.prometheus,
    },
    ...(settings.grafana
      ? [
          {
            folder: "grafana",
            files: [{ file: "dashboard.yaml", objects: [dashboardConfigMap(operator)] }],
            isDefault: true,
          },
        ]
      : []),
    { folder: "network-policy", files: policyFiles(operator), isDefault: settings.networkPolicy },
  ];
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
export function kustomization(resources: readonly string[], components: readonly string[] = []): string {
  return yamlText({
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources,
    ...(components.length > 0 ? { components } : {}),
  });
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
