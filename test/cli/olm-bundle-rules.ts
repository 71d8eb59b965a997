// The rules that `operator-sdk bundle validate` holds a bundle to, those of OperatorHub among them, in our own words. What it would
// call an error is a problem here; so is what it would warn of, unless it cannot be otherwise.
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";

type Json = Readonly<Record<string, unknown>>;
interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema?: {
        readonly openAPIV3Schema?: { readonly properties?: Readonly<Record<string, Json>> };
      };
    }[];
  };
}
interface Descriptor {
  readonly path: string;
  readonly displayName?: string;
  readonly description?: string;
}
interface Owned {
  readonly name: string;
  readonly kind: string;
  readonly version: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly specDescriptors?: readonly Descriptor[];
  readonly statusDescriptors?: readonly Descriptor[];
}
interface Container {
  readonly image?: string;
  readonly resources?: { readonly requests?: Json };
}
interface ServiceVersion {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly displayName?: string;
    readonly description?: string;
    readonly version?: string;
    readonly minKubeVersion?: string;
    readonly provider?: { readonly name?: string };
    readonly maintainers?: readonly { readonly name?: string; readonly email?: string }[];
    readonly links?: readonly { readonly name?: string; readonly url?: string }[];
    readonly icon?: readonly { readonly base64data?: string; readonly mediatype?: string }[];
    readonly keywords?: readonly string[];
    readonly installModes?: readonly { readonly type: string; readonly supported: boolean }[];
    readonly customresourcedefinitions?: { readonly owned?: readonly Owned[] };
    readonly webhookdefinitions?: readonly {
      readonly type: string;
      readonly generateName?: string;
      readonly deploymentName?: string;
      readonly webhookPath?: string;
      readonly sideEffects?: string;
      readonly admissionReviewVersions?: readonly string[];
      readonly conversionCRDs?: readonly string[];
    }[];
    readonly install?: {
      readonly strategy?: string;
      readonly spec?: {
        readonly deployments?: readonly {
          readonly name: string;
          readonly spec: {
            readonly template: { readonly spec: { readonly containers: readonly Container[] } };
          };
        }[];
        readonly permissions?: readonly {
          readonly serviceAccountName?: string;
          readonly rules?: readonly Json[];
        }[];
        readonly clusterPermissions?: readonly {
          readonly serviceAccountName?: string;
          readonly rules?: readonly Json[];
        }[];
      };
    };
  };
}

/** A bundle as its files have it, by path from its folder. */
export type BundleFiles = ReadonlyMap<string, string>;

const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const capabilities = ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];
const pictures = ["image/gif", "image/jpeg", "image/png", "image/svg+xml"];
const modes = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];
const bundled = new Set(
  "ClusterServiceVersion CustomResourceDefinition ClusterRole ClusterRoleBinding ConfigMap Role RoleBinding Secret Service ServiceAccount ServiceMonitor PrometheusRule PodDisruptionBudget PriorityClass".split(
    " ",
  ),
);
const prefix = "operators.operatorframework.io.bundle";

/** What is wrong with a bundle; nothing when all is well. */
export function bundleProblems(files: BundleFiles): readonly string[] {
  const manifests = [...files]
    .filter(([path]) => path.startsWith("manifests/"))
    .map(([path, text]) => ({ path, object: parse(text) as Json & { kind?: string } }));
  const versions = manifests.filter(({ object }) => object.kind === "ClusterServiceVersion");
  const [first] = versions;
  if (!first || versions.length > 1) return [`${versions.length} ClusterServiceVersions; one is needed`];
  const csv = first.object as unknown as ServiceVersion;
  const crds = manifests
    .filter(({ object }) => object.kind === "CustomResourceDefinition")
    .map(({ object }) => object as unknown as Crd);
  return [
    ...manifests
      .filter(({ object }) => !bundled.has(object.kind ?? ""))
      .map(({ path, object }) => `${path}: a bundle holds no ${object.kind}`),
    ...nameProblems(csv),
    ...aboutProblems(csv),
    ...exampleProblems(csv),
    ...modeProblems(csv),
    ...ownedProblems(csv, crds),
    ...installProblems(csv),
    ...webhookProblems(csv, crds),
    ...annotationProblems(files),
  ];
}

const unless = (holds: boolean, problem: string): readonly string[] => (holds ? [] : [problem]);

function nameProblems({ metadata, spec }: ServiceVersion): readonly string[] {
  const [, version = ""] = /^[^.]+\.v?(.*)$/.exec(metadata.name) ?? [];
  return [
    ...unless(
      subdomain.test(metadata.name) && semver.test(version),
      `metadata.name ${metadata.name}: NAME.vX.Y.Z is needed`,
    ),
    ...unless(semver.test(spec.version ?? "") && spec.version !== "0.0.0", `spec.version ${spec.version}`),
    ...unless(semver.test(spec.minKubeVersion ?? ""), `spec.minKubeVersion ${spec.minKubeVersion}`),
  ];
}

function aboutProblems({ metadata, spec }: ServiceVersion): readonly string[] {
  const { displayName, description, provider, maintainers = [], links = [], icon = [], keywords = [] } = spec;
  const [only] = icon;
  return [
    ...unless(Boolean(displayName && description), "spec.displayName and spec.description are needed"),
    ...unless(Boolean(provider?.name), "spec.provider.name is needed"),
    ...unless(keywords.length > 0 && keywords.every(Boolean), "spec.keywords are needed"),
    ...maintainers.flatMap(({ name, email = "" }) =>
      unless(Boolean(name) && /^[^\s@]+@[^\s@]+$/.test(email), `spec.maintainers: ${name} ${email}`),
    ),
    ...links.flatMap(({ name, url = "" }) =>
      unless(Boolean(name) && URL.canParse(url), `spec.links: ${name} ${url}`),
    ),
    ...unless(icon.length === 1 && Boolean(only?.base64data), "spec.icon: one is needed, with data"),
    ...unless(pictures.includes(only?.mediatype ?? ""), `spec.icon: ${only?.mediatype} is not a picture`),
    ...unless(
      Buffer.from(only?.base64data ?? "", "base64").toString("base64") === only?.base64data,
      "spec.icon: its data is not base64",
    ),
    ...unless(
      capabilities.includes(metadata.annotations["capabilities"] ?? ""),
      `capabilities ${metadata.annotations["capabilities"]}`,
    ),
  ];
}

const gvk = (group: string, version: string, kind: string): string => `${kind}.${version}.${group}`;
const groupOf = (name: string): string => name.slice(name.indexOf(".") + 1);
const ownedOf = ({ spec }: ServiceVersion): readonly Owned[] => spec.customresourcedefinitions?.owned ?? [];

/** Every example is of a kind that is provided, and every kind that is provided has one. */
function exampleProblems(csv: ServiceVersion): readonly string[] {
  const text = csv.metadata.annotations["alm-examples"] ?? "";
  let examples: readonly { apiVersion: string; kind: string }[];
  try {
    examples = JSON.parse(text);
  } catch {
    return ["alm-examples is not JSON"];
  }
  const shown = new Set(
    examples.map(({ apiVersion, kind }) => {
      const [group = "", version = ""] = apiVersion.split("/");
      return gvk(group, version, kind);
    }),
  );
  const provided = new Set(ownedOf(csv).map(({ name, version, kind }) => gvk(groupOf(name), version, kind)));
  return [
    ...[...shown]
      .filter((each) => !provided.has(each))
      .map((each) => `alm-examples: ${each} is not provided`),
    ...[...provided].filter((each) => !shown.has(each)).map((each) => `alm-examples: ${each} has none`),
  ];
}

function modeProblems({ spec }: ServiceVersion): readonly string[] {
  const given = spec.installModes ?? [];
  const names = given.map(({ type }) => type);
  return [
    ...unless(new Set(names).size === names.length, "spec.installModes: one stands there twice"),
    ...names.filter((name) => !modes.includes(name)).map((name) => `spec.installModes: ${name}`),
    ...unless(
      given.some(({ supported }) => supported),
      "spec.installModes: none is supported",
    ),
  ];
}

/** What is owned is what the definitions define, version by version, and descriptors point at fields that there are. */
function ownedProblems(csv: ServiceVersion, crds: readonly Crd[]): readonly string[] {
  const owned = ownedOf(csv);
  const keys = owned.map(({ name, version, kind }) => gvk(groupOf(name), version, kind));
  const defined = crds.flatMap(({ spec }) =>
    spec.versions.map(({ name }) => gvk(spec.group, name, spec.names.kind)),
  );
  return [
    ...unless(
      isDeepStrictEqual(keys.toSorted(), defined.toSorted()),
      `owned: ${keys} are not the kinds of ${defined}`,
    ),
    ...owned.flatMap((each) => [
      ...unless(
        Boolean(each.displayName && each.description),
        `owned ${each.name}: displayName and description`,
      ),
      ...descriptorProblems(each, crds),
    ]),
  ];
}

function descriptorProblems(owned: Owned, crds: readonly Crd[]): readonly string[] {
  const version = crds
    .find(({ metadata }) => metadata.name === owned.name)
    ?.spec.versions.find(({ name }) => name === owned.version);
  const fields = (part: string): Json =>
    (version?.schema?.openAPIV3Schema?.properties?.[part]?.["properties"] ?? {}) as Json;
  const missing = (part: string, descriptors: readonly Descriptor[] = []) =>
    descriptors
      .filter(
        ({ path, displayName }) => !displayName || !Object.hasOwn(fields(part), path.split(/[.[]/)[0] ?? ""),
      )
      .map(({ path }) => `owned ${owned.name}: there is no ${part}.${path}, or it has no name`);
  return [...missing("spec", owned.specDescriptors), ...missing("status", owned.statusDescriptors)];
}

function installProblems({ spec }: ServiceVersion): readonly string[] {
  const { strategy, spec: install = {} } = spec.install ?? {};
  const containers = (install.deployments ?? []).flatMap((each) => each.spec.template.spec.containers);
  const grants = [...(install.permissions ?? []), ...(install.clusterPermissions ?? [])];
  return [
    ...unless(strategy === "deployment" && containers.length > 0, "spec.install: a deployment is needed"),
    ...containers.flatMap(({ image, resources }) => [
      ...unless(Boolean(image), "spec.install: a container has no image"),
      ...unless(
        Object.keys(resources?.requests ?? {}).length > 0,
        "spec.install: a container requests no resources",
      ),
    ]),
    ...grants.flatMap(({ serviceAccountName, rules = [] }) =>
      unless(
        Boolean(serviceAccountName) && rules.length > 0,
        "spec.install: permissions without rules, or for nobody",
      ),
    ),
  ];
}

/** A conversion is asked for by the whole cluster, so its operator may not be installed for a namespace. */
function webhookProblems({ spec }: ServiceVersion, crds: readonly Crd[]): readonly string[] {
  const webhooks = spec.webhookdefinitions ?? [];
  const deployments = (spec.install?.spec?.deployments ?? []).map(({ name }) => name);
  const converts = webhooks.filter(({ type }) => type === "ConversionWebhook");
  const narrow = (spec.installModes ?? []).filter(
    ({ type, supported }) => supported && type !== "AllNamespaces",
  );
  const names = crds.map(({ metadata }) => metadata.name);
  return [
    ...webhooks.flatMap(
      ({ generateName, deploymentName = "", webhookPath = "", sideEffects, admissionReviewVersions = [] }) =>
        unless(
          Boolean(generateName) &&
            deployments.includes(deploymentName) &&
            webhookPath.startsWith("/") &&
            (sideEffects === "None" || sideEffects === "NoneOnDryRun") &&
            admissionReviewVersions.length > 0,
          `spec.webhookdefinitions: ${generateName}`,
        ),
    ),
    ...converts.flatMap(({ conversionCRDs = [] }) =>
      unless(
        conversionCRDs.length > 0 && conversionCRDs.every((name) => names.includes(name)),
        `spec.webhookdefinitions: ${conversionCRDs} are not owned`,
      ),
    ),
    ...unless(
      converts.length === 0 || narrow.length === 0,
      "spec.installModes: conversions need AllNamespaces alone",
    ),
  ];
}

function annotationProblems(files: BundleFiles): readonly string[] {
  const { annotations = {} } = parse(files.get("metadata/annotations.yaml") ?? "{}") as {
    annotations?: Readonly<Record<string, string>>;
  };
  const wanted: Readonly<Record<string, (value: string) => boolean>> = {
    "mediatype.v1": (value) => value === "registry+v1",
    "manifests.v1": (value) => value === "manifests/",
    "metadata.v1": (value) => value === "metadata/",
    "package.v1": (value) => subdomain.test(value),
    "channels.v1": (value) => value.split(",").every(Boolean) && value !== "",
    "channel.default.v1": (value) =>
      annotations[`${prefix}.channels.v1`]?.split(",").includes(value) ?? false,
  };
  const dockerfile = files.get("bundle.Dockerfile") ?? "";
  return Object.entries(wanted).flatMap(([key, isGood]) => {
    const name = `${prefix}.${key}`;
    return [
      ...unless(isGood(annotations[name] ?? ""), `annotations.yaml: ${name}: ${annotations[name]}`),
      ...unless(
        dockerfile.includes(`LABEL ${name}=${annotations[name]}\n`),
        `bundle.Dockerfile: no label ${name}`,
      ),
    ];
  });
}
