// A Helm chart of the same objects: what differs from one installation to the next is taken from its values.
import { definitionFile, type Files, rbacFiles, webhookFiles } from "./config-files.js";
import { definitionsOf, type Manifest, type Operator, operatorOf } from "./operator.js";
import { deployment, metricsPolicy, metricsService, serviceMonitor, webhookPolicy } from "./workload.js";
import { yamlDocuments, yamlText } from "./yaml-text.js";

export const chartFolder = "dist/chart";

const tokens = {
  namespace: "@namespace@",
  image: "@image@",
  replicas: "@replicas@",
  resources: "@resources@",
} as const;

/** Chart.yaml, values.yaml and templates. */
export function chartFiles(original: Operator): Files {
  const { definition, settings } = original;
  const operator = operatorOf(definition, { ...settings, namespace: tokens.namespace, image: tokens.image });
  const template = (file: string, objects: readonly unknown[], condition?: string): [string, string] => [
    `${chartFolder}/templates/${file}`,
    conditional(templated(yamlDocuments(objects)), condition),
  ];
  const rbac = rbacFiles(operator);
  return new Map([
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
    ...(operator.hasWebhooks
      ? webhookFiles(operator).map(({ file, objects }) => template(`webhook/${file}`, objects))
      : []),
    template("prometheus/monitor.yaml", [serviceMonitor(operator)], ".Values.prometheus.enabled"),
    template(
      "network-policy/policies.yaml",
      [metricsPolicy(operator), ...(operator.hasWebhooks ? [webhookPolicy(operator)] : [])],
      ".Values.networkPolicy.enabled",
    ),
  ]);
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
  return [
    "# The image of the manager.",
    yamlText({ image: { repository, tag } }),
    "# How many replicas run; one works at a time.",
    yamlText({ replicas: settings.replicas }),
    yamlText({
      resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "10m", memory: "96Mi" } },
    }),
    "# Whether the kinds are installed with the chart. They stay when it is uninstalled.",
    yamlText({ crds: { enabled: true } }),
    "# Whether there are roles for people who view, edit and administer the kinds.",
    yamlText({ rbac: { kindRoles: true } }),
    "# A ServiceMonitor; needs the Prometheus operator.",
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

function adjustable(object: Manifest): Manifest {
  const text = JSON.stringify(object)
    .replace(/"replicas":\d+/, `"replicas":"${tokens.replicas}"`)
    .replace(/"resources":\{"limits":\{[^}]*\},"requests":\{[^}]*\}\}/, `"resources":"${tokens.resources}"`);
  return { ...object, ...JSON.parse(text) };
}

/** Braces that are text stay text; tokens become expressions. */
function templated(text: string): string {
  return text
    .replaceAll("{{", '{{ "{{" }}')
    .replaceAll(tokens.namespace, "{{ .Release.Namespace }}")
    .replaceAll(tokens.image, "{{ .Values.image.repository }}:{{ .Values.image.tag }}")
    .replaceAll(`"${tokens.replicas}"`, "{{ .Values.replicas }}")
    .replace(/^( *)resources: "@resources@"$/m, "$1resources: {{- toYaml .Values.resources | nindent 12 }}");
}

function conditional(text: string, condition: string | undefined): string {
  return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
}
