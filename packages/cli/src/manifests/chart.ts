// A Helm chart of the same objects: what differs from one installation to the next is taken from its values.
import type { Patchable } from "./apply-patches.js";
import { usesCertManager, webhookCertificate } from "./cert-manager.js";
import { placeholder, placeholderPattern, TemplatePatches, tokens } from "./chart-patches.js";
import { definitionFile, type Output, rbacFiles, webhookFiles } from "./config-files.js";
import type { ManagerSettings } from "./manager-settings.js";
import { dashboardConfigMap, prometheusRule } from "./monitoring.js";
import { definitionsOf, type Manifest, type Operator, operatorOf } from "./operator.js";
import {
  deployment,
  disruptionBudgets,
  metricsPolicy,
  metricsService,
  serviceMonitor,
  webhookPolicy,
} from "./workload.js";
import { yamlDocuments, yamlText } from "./yaml-text.js";

export const chartFolder = "dist/chart";

const value = (path: string): string => placeholder("value", path);
const items = (path: string): readonly string[] => [placeholder("items", path)];
const entries = (path: string): Readonly<Record<string, string>> => ({ [placeholder("entries", path)]: "" });

/** The settings of the manager, each taken from the values of the chart. */
const fromValues = (budget: string, hasVolumes: boolean) =>
  ({
    resources: value("resources"),
    env: items("env"),
    args: items("args"),
    imagePullPolicy: value("image.pullPolicy"),
    imagePullSecrets: value("imagePullSecrets"),
    nodeSelector: value("nodeSelector"),
    tolerations: value("tolerations"),
    affinity: value("affinity"),
    topologySpreadConstraints: value("topologySpreadConstraints"),
    priorityClassName: value("priorityClassName"),
    annotations: entries("annotations"),
    labels: entries("labels"),
    podAnnotations: entries("podAnnotations"),
    podLabels: entries("podLabels"),
    volumes: hasVolumes ? items("volumes") : value("volumes"),
    volumeMounts: hasVolumes ? items("volumeMounts") : value("volumeMounts"),
    serviceAccountAnnotations: entries("serviceAccount.annotations"),
    podDisruptionBudget: { [budget]: value(`podDisruptionBudget.${budget}`) },
  }) satisfies Record<keyof ManagerSettings, unknown>;

/** A budget has one of two fields. */
const budgetField = ({ podDisruptionBudget }: ManagerSettings): string =>
  Object.keys(podDisruptionBudget)[0] ?? "maxUnavailable";

/** Chart.yaml, values.yaml and templates; the user's own patches are applied before values are put in. */
export function chartFiles(original: Operator): Output {
  const { definition, settings } = original;
  const operator = operatorOf(definition, {
    ...settings,
    namespace: tokens.namespace,
    image: tokens.image,
    // Placeholders instead of what a pod has there; they are gone before anybody reads the template.
    manager: fromValues(
      budgetField(settings.manager),
      usesCertManager(original),
    ) as unknown as ManagerSettings,
  });
  const patches = new TemplatePatches(settings);
  const template = (file: string, objects: readonly Patchable[], condition?: string): [string, string] => [
    `${chartFolder}/templates/${file}`,
    conditional(templated(yamlDocuments(patches.apply(objects))), condition),
  ];
  const rbac = rbacFiles(operator);
  const files = new Map([
    [`${chartFolder}/Chart.yaml`, chart(original)],
    [`${chartFolder}/values.yaml`, values(original)],
    ...definitionsOf(operator).map((crd) =>
      template(`crd/${definitionFile(crd).replace("bases/", "")}`, [kept(crd)], ".Values.crds.enabled"),
    ),
    ...rbac.map(({ file, objects }) =>
      template(
        `rbac/${file}`,
        objects,
        /_(admin|editor|viewer)_role/.test(file) ? ".Values.rbac.kindRoles" : undefined,
      ),
    ),
    template("manager/manager.yaml", [adjustable(deployment(operator))]),
    template("manager/metrics_service.yaml", [metricsService(operator)]),
    template(
      "manager/disruption_budget.yaml",
      disruptionBudgets(operator),
      ".Values.podDisruptionBudget.enabled",
    ),
    ...(operator.hasWebhooks
      ? webhookFiles(operator).map(({ file, objects }) => template(`webhook/${file}`, objects))
      : []),
    ...(usesCertManager(operator)
      ? [template("certmanager/certificate.yaml", webhookCertificate(operator))]
      : []),
    template(
      "prometheus/monitoring.yaml",
      [serviceMonitor(operator), prometheusRule(operator)],
      ".Values.prometheus.enabled",
    ),
    ...(settings.grafana ? [template("grafana/dashboard.yaml", [dashboardConfigMap(operator)])] : []),
    template(
      "network-policy/policies.yaml",
      [metricsPolicy(operator), ...(operator.hasWebhooks ? [webhookPolicy(operator)] : [])],
      ".Values.networkPolicy.enabled",
    ),
    ...patches.resources.map((object) =>
      template(`own/${object.kind.toLowerCase()}_${object.metadata.name}.yaml`, [object]),
    ),
  ]);
  return { files, warnings: patches.warnings };
}

function chart({ names, settings }: Operator): string {
  const { version, description } = settings;
  return yamlText({
    apiVersion: "v2",
    name: names.manager,
    description,
    type: "application",
    version,
    appVersion: version,
  });
}

function values({ settings }: Operator): string {
  const [, repository = settings.image, tag = "latest"] = /^(.*):([^:/@]+)$/.exec(settings.image) ?? [];
  const { imagePullPolicy, resources, podDisruptionBudget, serviceAccountAnnotations, ...manager } =
    settings.manager;
  const field = budgetField(settings.manager);
  return [
    "# The image of the manager.",
    yamlText({ image: { repository, tag, pullPolicy: imagePullPolicy || "IfNotPresent" } }),
    "# How many replicas run; one works at a time.",
    yamlText({ replicas: settings.replicas }),
    yamlText({ resources }),
    "# The pods of the manager, in the form these fields have in a pod; env and args come after its own.",
    yamlText(manager),
    yamlText({ serviceAccount: { annotations: serviceAccountAnnotations } }),
    "# Keeps drained nodes from taking all replicas at once.",
    yamlText({
      podDisruptionBudget: {
        enabled: Object.keys(podDisruptionBudget).length > 0,
        [field]: podDisruptionBudget[field] ?? 1,
      },
    }),
    "# Whether the kinds are installed with the chart. They stay when it is uninstalled.",
    yamlText({ crds: { enabled: true } }),
    "# Whether there are roles for people who view, edit and administer the kinds.",
    yamlText({ rbac: { kindRoles: true } }),
    "# A ServiceMonitor and alerts; they need the Prometheus operator.",
    yamlText({ prometheus: { enabled: settings.prometheus } }),
    yamlText({ networkPolicy: { enabled: settings.networkPolicy } }),
  ]
    .map((part) => (part.endsWith("\n") ? part : `${part}\n`))
    .join("");
}

/** The kinds and the objects of users outlive the chart. */
function kept(crd: ReturnType<typeof definitionsOf>[number]) {
  const annotations = { ...crd.metadata?.annotations, "helm.sh/resource-policy": "keep" };
  return { ...crd, metadata: { ...crd.metadata, annotations } };
}

const adjustable = (manager: Manifest): Manifest => ({
  ...manager,
  spec: { ...(manager["spec"] as object), replicas: tokens.replicas },
});

/** Braces that are text stay text; tokens become expressions. */
function templated(text: string): string {
  return text
    .replaceAll("{{", '{{ "{{" }}')
    .replaceAll(tokens.namespace, "{{ .Release.Namespace }}")
    .replaceAll(tokens.image, "{{ .Values.image.repository }}:{{ .Values.image.tag }}")
    .replaceAll(`"${tokens.replicas}"`, "{{ .Values.replicas }}")
    .replace(
      new RegExp(`^( *)(\\w+): "${placeholderPattern("value")}"$`, "gm"),
      (_, space: string, name: string, path: string) =>
        `${space}${name}: {{- toYaml .Values.${path} | nindent ${space.length + 2} }}`,
    )
    .replace(new RegExp(`^( *)- "${placeholderPattern("items")}"$`, "gm"), (_, space: string, path: string) =>
      further(space, path),
    )
    .replace(
      new RegExp(`^( *)"${placeholderPattern("entries")}": ""$`, "gm"),
      (_, space: string, path: string) => further(space, path),
    );
}

/** Further lines at the same depth, if there are values. */
const further = (space: string, path: string): string =>
  `{{- if .Values.${path} }}\n${space}{{- toYaml .Values.${path} | nindent ${space.length} }}\n{{- end }}`;

function conditional(text: string, condition: string | undefined): string {
  return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
}
