// What is accepted but probably not meant: deprecated labels and volumes, duplicates, fractions of a byte.
import {
  Amount,
  type ContainerPort,
  type NodeSelectorTerm,
  type ObjectMeta,
  type PodAffinity,
  type PodSpec,
  type Quantity,
  validateLabelValue,
} from "@kubewright/api";
import { appArmorPrefix, seccompPodAnnotation, seccompPrefix } from "./validate-pod-annotations.js";
import { placedContainers } from "./validate-pod-spec.js";
import type { PlacedContainer } from "./validate-windows.js";

const oldLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};
const oldAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};
const oldVolumes = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;
const useSeccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/** Warnings for a pod (no field) or for the template at a field. */
export function podWarnings(spec: PodSpec, metadata: ObjectMeta | undefined, template?: string): string[] {
  const prefix = template === undefined ? "" : `${template}.`;
  const field = `${prefix}spec`;
  const annotations = metadata?.annotations ?? {};
  const containers = placedContainers(spec, field);
  const grace = (spec.terminationGracePeriodSeconds ?? 0) < 0;
  return [
    ...nodeWarnings(spec, field),
    ...Object.keys(annotations).flatMap((key) =>
      oldAnnotations[key] ? [`${prefix}metadata.annotations[${key}]: ${oldAnnotations[key]}`] : [],
    ),
    ...volumeWarnings(spec, field),
    ...duplicateWarnings(spec, field),
    ...fractions(spec.overhead, `${field}.overhead`),
    ...profileWarnings(spec, annotations, containers, prefix),
    ...containers.flatMap(containerWarnings),
    ...portWarnings(containers),
    ...(grace
      ? [
          `${field}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec.affinity?.podAffinity, `${field}.affinity.podAffinity`),
    ...affinityWarnings(spec.affinity?.podAntiAffinity, `${field}.affinity.podAntiAffinity`),
  ];
}

function nodeWarnings(spec: PodSpec, field: string): string[] {
  const affinity = spec.affinity?.nodeAffinity;
  const at = `${field}.affinity.nodeAffinity`;
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) =>
      oldLabels[key] ? [`${field}.nodeSelector[${key}]: ${oldLabels[key]}`] : [],
    ),
    ...required.flatMap((term, index) =>
      termWarnings(
        term,
        false,
        `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`,
      ),
    ),
    ...preferred.flatMap(({ preference }, index) =>
      termWarnings(
        preference,
        true,
        `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
      ),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, labelSelector }, index) => {
      const item = `${field}.topologySpreadConstraints[${index}]`;
      return [
        ...(oldLabels[topologyKey]
          ? [`${item}.topologyKey: ${topologyKey} is ${oldLabels[topologyKey]}`]
          : []),
        ...(labelSelector ? [] : [`${item}.labelSelector: a null labelSelector results in matching no pod`]),
      ];
    }),
  ];
}

function termWarnings({ matchExpressions }: NodeSelectorTerm, checkValues: boolean, field: string): string[] {
  return (matchExpressions ?? []).flatMap(({ key, values = [] }, index) => [
    ...(oldLabels[key] ? [`${field}.matchExpressions[${index}].key: ${key} is ${oldLabels[key]}`] : []),
    ...(checkValues ? values : []).flatMap((value, item) =>
      validateLabelValue(value).map((text) => `${field}.matchExpressions[${index}].values[${item}]: ${text}`),
    ),
  ]);
}

function volumeWarnings(spec: PodSpec, field: string): string[] {
  return (spec.volumes ?? []).flatMap((volume, index) =>
    oldVolumes
      .filter(([source]) => volume[source] !== undefined)
      .map(([, name, text]) => `${field}.volumes[${index}].${name}: ${text}`),
  );
}

function duplicateWarnings(spec: PodSpec, field: string): string[] {
  const secrets = (spec.imagePullSecrets ?? []).map(({ name }) => name ?? "");
  const addresses = (spec.hostAliases ?? []).map(({ ip }) => ip);
  return [
    ...repeated(addresses).map(
      (index) => `${field}.hostAliases[${index}].ip: duplicate ip "${addresses[index]}"`,
    ),
    ...repeated(secrets).map(
      (index) => `${field}.imagePullSecrets[${index}].name: duplicate name "${secrets[index]}"`,
    ),
    ...secrets.flatMap((name, index) =>
      name === "" ? [`${field}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
  ];
}

/** Indexes of values that stood earlier in the list. */
const repeated = (values: readonly string[]): number[] =>
  values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));

/** Bytes cannot be split. */
function fractions(list: Readonly<Record<string, Quantity>> | undefined, field: string): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) => {
    const quantity = list?.[name];
    const amount = quantity === undefined ? undefined : Amount.parse(quantity);
    if (!amount || amount.milliValue() % 1000n === 0n) return [];
    return [`${field}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`];
  });
}

function profileWarnings(
  spec: PodSpec,
  annotations: Readonly<Record<string, string>>,
  containers: readonly PlacedContainer[],
  prefix: string,
): string[] {
  const at = `${prefix}metadata.annotations`;
  const warnings: string[] = [];
  if (!spec.securityContext?.seccompProfile && Object.hasOwn(annotations, seccompPodAnnotation))
    warnings.push(`${at}[${seccompPodAnnotation}]: ${useSeccompField}`);
  for (const [{ name, securityContext }] of containers) {
    const seccomp = `${seccompPrefix}${name}`;
    if (!securityContext?.seccompProfile && Object.hasOwn(annotations, seccomp))
      warnings.push(`${at}[${seccomp}]: ${useSeccompField}`);
    const appArmor = `${appArmorPrefix}${name}`;
    const hasField = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    if (!hasField && Object.hasOwn(annotations, appArmor))
      warnings.push(`${at}[${appArmor}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
  return warnings;
}

function containerWarnings([container, field]: PlacedContainer): string[] {
  const env = container.env ?? [];
  const names = env.map(({ name }) => name);
  const hidden = repeated(names).filter((index) => {
    const { name = "", value = "", valueFrom } = env[index] ?? {};
    const reference = `$(${name})`;
    return valueFrom !== undefined || value === reference || !value.includes(reference);
  });
  return [
    ...fractions(container.resources?.limits, `${field}.resources.limits`),
    ...fractions(container.resources?.requests, `${field}.resources.requests`),
    ...hidden.map(
      (index) =>
        `${field}.env[${index}]: hides previous definition of "${names[index]}", which may be dropped when using apply`,
    ),
  ];
}

interface PlacedPort {
  readonly field: string;
  readonly port: ContainerPort;
}

function portWarnings(containers: readonly PlacedContainer[]): string[] {
  const known = new Map<string, PlacedPort[]>();
  return containers.flatMap(([{ ports }, container]) =>
    (ports ?? []).flatMap((port, index) => {
      const field = `${container}.ports[${index}]`;
      const key = `${port.containerPort}/${port.protocol}`;
      const others = known.get(key) ?? [];
      const warnings = others.flatMap((other) => overlap({ field, port }, other));
      known.set(key, [...others, { field, port }]);
      return warnings;
    }),
  );
}

function overlap({ field, port }: PlacedPort, other: PlacedPort): string[] {
  const hostPort = [port.hostPort ?? 0, other.port.hostPort ?? 0] as const;
  const hostIP = [port.hostIP ?? "", other.port.hostIP ?? ""] as const;
  const samePort = hostPort[0] === hostPort[1];
  if (samePort && hostIP[0] === hostIP[1]) return [`${field}: duplicate port definition with ${other.field}`];
  if (hostPort.includes(0)) return [`${field}: overlapping port definition with ${other.field}`];
  const ambiguous = samePort && hostIP.includes("");
  return ambiguous ? [`${field}: dangerously ambiguous port definition with ${other.field}`] : [];
}

function affinityWarnings(affinity: PodAffinity | undefined, field: string): string[] {
  const text = "labelSelector: a null labelSelector results in matching no pod";
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...required.flatMap(({ labelSelector }, index) =>
      labelSelector ? [] : [`${field}.requiredDuringSchedulingIgnoredDuringExecution[${index}].${text}`],
    ),
    ...preferred.flatMap(({ podAffinityTerm }, index) =>
      podAffinityTerm.labelSelector
        ? []
        : [`${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm.${text}`],
    ),
  ];
}
