// A bundle for the Operator Lifecycle Manager: what the operator owns, needs and runs, in one ClusterServiceVersion. OLM makes the
// Deployment, the roles and the webhook configurations from it, and brings the webhooks' certificates.
import type { PolicyRule } from "@kubewright/api";
import { type CustomKind, placedPermissionsOf, securedMetricsPermissions } from "@kubewright/runtime";
import { applyPatches, type Patchable } from "./apply-patches.js";
import { certificateFolder } from "./cert-manager.js";
import { type Output, rbacFiles } from "./config-files.js";
import type { ManagerSettings } from "./manager-settings.js";
import { ownedKinds } from "./olm-descriptors.js";
import { definitionsOf, type Manifest, type Operator, operatorOf, ports } from "./operator.js";
import { leasePermissions } from "./rbac.js";
import { sampleObject } from "./sample.js";
import { deployment, disruptionBudgets, metricsService } from "./workload.js";
import { yamlText } from "./yaml-text.js";

export const bundleFolder = "bundle";

/** Catalogues show a picture; one's own may take its place. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path d="M32 3 57 17v30L32 61 7 47V17z" fill="#326ce5"/><path d="M21 18h7v11l10-11h9L35 31l13 15h-9L28 34v12h-7z" fill="#fff"/></svg>';

/** manifests/, metadata/ and the Dockerfile of the bundle's image. */
export function bundleFiles(original: Operator): Output {
  const operator = operatorOf(original.definition, {
    ...original.settings,
    certManager: false,
    manager: withCertificate(original),
  });
  const { names, settings } = operator;
  const people = rbacFiles(operator).filter(({ file }) => /_(admin|editor|viewer|reader)_role/.test(file));
  const named = (file: string, objects: readonly Patchable[]) => objects.map((object) => ({ file, object }));
  const all = [
    ...named(`${names.manager}.clusterserviceversion.yaml`, [deployment(operator)]),
    ...definitionsOf(operator).flatMap((crd) =>
      named(`${crd.spec.group}_${crd.spec.names.plural}.yaml`, [crd]),
    ),
    ...people.flatMap(({ file, objects }) => named(file, objects)),
    ...named("metrics_service.yaml", [metricsService(operator)]),
    ...named("disruption_budget.yaml", disruptionBudgets(operator)),
  ];
  const { patches, resources } = settings.patches;
  const unused = new Set(patches);
  const manifests = all.flatMap(({ file, object }): readonly (readonly [string, string])[] => {
    const patched = applyPatches([object], patches);
    for (const patch of patches) if (!patched.unused.includes(patch)) unused.delete(patch);
    return patched.objects.map((each) => [
      `${bundleFolder}/manifests/${file}`,
      yamlText(inBundle(operator, each)),
    ]);
  });
  return {
    files: new Map([
      ...manifests,
      [`${bundleFolder}/metadata/annotations.yaml`, yamlText({ annotations: annotations(operator) })],
      [`${bundleFolder}/bundle.Dockerfile`, dockerfile(operator)],
    ]),
    warnings: [
      ...[...unused].map(
        ({ source }) => `${source} is for no object of the OLM bundle: OLM makes those itself`,
      ),
      ...resources.map(
        ({ kind, metadata }) => `${kind} ${metadata.name} of config/patches is not in the OLM bundle`,
      ),
      ...unsupported(settings.manager),
    ],
  };
}

/** OLM makes the service account, and the Deployment from a template without annotations of its own. */
function unsupported({ serviceAccountAnnotations, annotations: stated }: ManagerSettings): readonly string[] {
  const told = (field: string, value: object): readonly string[] =>
    Object.keys(value).length === 0
      ? []
      : [`kubewright.manager.${field} is not in the OLM bundle: OLM has no place for it`];
  return [...told("serviceAccountAnnotations", serviceAccountAnnotations), ...told("annotations", stated)];
}

/** The Deployment becomes part of the ClusterServiceVersion; of others OLM decides on the namespace, and on conversions. */
function inBundle(operator: Operator, object: Patchable): unknown {
  if (object.kind === "Deployment") return serviceVersion(operator, object as Manifest);
  if (object.kind === "CustomResourceDefinition")
    return plain(object as ReturnType<typeof definitionsOf>[number]);
  return withoutNamespace(object as Manifest);
}

function serviceVersion(operator: Operator, manager: Manifest) {
  const { names, settings, definition, kinds } = operator;
  const { version, description, image } = settings;
  const hasConversions = operator.webhooks.definitions.length > 0;
  const isEverywhere = definition.namespaces === undefined;
  const mode = (type: string, supported: boolean) => ({ type, supported });
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name: `${names.manager}.v${version}`,
      namespace: "placeholder",
      annotations: {
        "alm-examples": JSON.stringify(kinds.flatMap(versionsOf).map(sampleObject), undefined, 2),
        capabilities: "Basic Install",
        containerImage: image,
        description,
      },
    },
    spec: {
      displayName: names.manager,
      description,
      version,
      maturity: "alpha",
      minKubeVersion: "1.29.0",
      keywords: kinds.map(({ kind }) => kind.toLowerCase()),
      provider: { name: names.manager },
      maintainers: [{ name: names.manager, email: `${names.manager}@example.com` }],
      links: [{ name: names.manager, url: "https://example.com" }],
      icon: [{ base64data: Buffer.from(icon).toString("base64"), mediatype: "image/svg+xml" }],
      installModes: [
        mode("OwnNamespace", !isEverywhere && !hasConversions),
        mode("SingleNamespace", !isEverywhere && !hasConversions),
        mode("MultiNamespace", false),
        mode("AllNamespaces", isEverywhere || hasConversions),
      ],
      customresourcedefinitions: { owned: kinds.flatMap(ownedKinds) },
      install: {
        strategy: "deployment",
        spec: {
          deployments: [
            { name: manager.metadata.name, label: manager.metadata.labels, spec: manager["spec"] },
          ],
          permissions: granted(
            operator,
            leasePermissions(operator).flatMap(({ rules }) => rules),
          ),
          clusterPermissions: granted(operator, clusterRules(operator)),
        },
      },
      ...(operator.hasWebhooks ? { webhookdefinitions: webhookDefinitions(operator) } : {}),
    },
  };
}

/** A kind in each of its versions, each of which a catalogue shows by an example. */
function versionsOf(kind: CustomKind): readonly CustomKind[] {
  const further: unknown = "versions" in kind ? kind.versions : undefined;
  const others: readonly unknown[] =
    typeof further === "object" && further !== null ? Object.values(further) : [];
  return [kind, ...others.filter(isKind)];
}

const isKind = (value: unknown): value is CustomKind =>
  typeof value === "object" && value !== null && "crd" in value && typeof value.crd === "function";

/** OLM decides on namespaces itself; what the manager needs in some, it asks for everywhere. */
function clusterRules({ definition }: Operator): readonly PolicyRule[] {
  const rules = placedPermissionsOf(definition).flatMap((placed) => placed.rules);
  const distinct = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
  return [...distinct.values(), ...securedMetricsPermissions()];
}

const granted = ({ names }: Operator, rules: readonly PolicyRule[]) =>
  rules.length === 0 ? [] : [{ serviceAccountName: names.serviceAccount, rules }];

/** OLM makes the certificate of the webhooks itself, and mounts it where cert-manager's would be. */
function withCertificate({ settings: { manager }, hasWebhooks }: Operator): ManagerSettings {
  if (!hasWebhooks) return manager;
  return { ...manager, args: [`--webhook-cert-path=${certificateFolder}`, ...manager.args] };
}

function webhookDefinitions(operator: Operator) {
  const { mutating, validating, definitions } = operator.webhooks;
  const common = {
    deploymentName: operator.names.deployment,
    containerPort: 443,
    targetPort: ports.webhooks,
  };
  const listed = (type: string, webhooks: NonNullable<typeof mutating>["webhooks"]) =>
    (webhooks ?? []).map(
      ({
        name,
        clientConfig,
        rules,
        failurePolicy,
        sideEffects,
        admissionReviewVersions,
        timeoutSeconds,
      }) => ({
        type,
        generateName: name,
        ...common,
        admissionReviewVersions,
        failurePolicy,
        sideEffects,
        timeoutSeconds,
        rules,
        webhookPath: clientConfig.service?.path ?? "/",
      }),
    );
  return [
    ...listed("MutatingAdmissionWebhook", mutating?.webhooks),
    ...listed("ValidatingAdmissionWebhook", validating?.webhooks),
    ...definitions.map((crd) => ({
      type: "ConversionWebhook",
      generateName: `convert.${crd.metadata?.name ?? ""}`,
      ...common,
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      webhookPath: crd.spec.conversion?.webhook?.clientConfig?.service?.path ?? "/convert",
      conversionCRDs: [crd.metadata?.name ?? ""],
    })),
  ];
}

/** OLM fills in how versions are converted. */
function plain(crd: ReturnType<typeof definitionsOf>[number]) {
  const { conversion: _conversion, ...spec } = crd.spec;
  return { ...crd, spec };
}

function withoutNamespace({ metadata, ...rest }: Manifest) {
  const { namespace: _namespace, ...others } = metadata;
  const { apiVersion, kind, ...fields } = rest;
  return { apiVersion, kind, metadata: others, ...fields };
}

function annotations({ names }: Operator): Readonly<Record<string, string>> {
  const prefix = "operators.operatorframework.io";
  return {
    [`${prefix}.bundle.mediatype.v1`]: "registry+v1",
    [`${prefix}.bundle.manifests.v1`]: "manifests/",
    [`${prefix}.bundle.metadata.v1`]: "metadata/",
    [`${prefix}.bundle.package.v1`]: names.manager,
    [`${prefix}.bundle.channels.v1`]: "alpha",
    [`${prefix}.bundle.channel.default.v1`]: "alpha",
  };
}

function dockerfile(operator: Operator): string {
  const labels = Object.entries(annotations(operator)).map(([name, value]) => `LABEL ${name}=${value}`);
  return ["FROM scratch", ...labels, "COPY manifests /manifests/", "COPY metadata /metadata/", ""].join("\n");
}
