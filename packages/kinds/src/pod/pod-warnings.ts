// Warnings about pods that are valid but probably wrong: deprecated labels and volumes, duplicates, fractions of a byte.
import {
  Amount,
  type Container,
  type ObjectMeta,
  type PodAffinity,
  type PodSpec,
  type Quantity,
} from "@kubewright/api";
import { deprecatedLabel, nodeTermWarnings } from "../deprecated-node-labels.js";
import { ipWarnings } from "../ip-warnings.js";
import { repeated } from "../repeated.js";
import { claimWarnings } from "./claim-warnings.js";
import { overlappingPathWarnings } from "./overlapping-paths.js";
import { portWarnings } from "./port-warnings.js";
import { appArmorWarning } from "./sync-app-armor.js";
import { appArmorPrefix, seccompPodAnnotation, seccompPrefix } from "./validate-pod-annotations.js";
import { placedContainers } from "./validate-pod-spec.js";
import type { PlacedContainer } from "./validate-windows.js";

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
const inBytes = ["memory", "ephemeral-storage"];
const useSeccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';

type Amounts = Readonly<Record<string, Quantity>> | undefined;

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
    ...overlappingPathWarnings(spec.volumes ?? []),
    ...duplicateWarnings(spec, field),
    ...inBytes.flatMap((name) => fractions(spec.overhead, `${field}.overhead`, name)),
    ...containersWarnings(spec, annotations, containers, template),
    ...portWarnings(containers),
    ...(grace
      ? [
          `${field}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec.affinity?.podAffinity, `${field}.affinity.podAffinity`),
    ...affinityWarnings(spec.affinity?.podAntiAffinity, `${field}.affinity.podAntiAffinity`),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((ip, index) =>
      ipWarnings(ip, `${field}.dnsConfig.nameservers[${index}]`),
    ),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, index) =>
      ipWarnings(ip, `${field}.hostAliases[${index}].ip`),
    ),
  ];
}

function nodeWarnings(spec: PodSpec, field: string): string[] {
  const affinity = spec.affinity?.nodeAffinity;
  const at = `${field}.affinity.nodeAffinity`;
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => {
      const text = deprecatedLabel(key);
      return text ? [`${field}.nodeSelector[${key}]: ${text}`] : [];
    }),
    ...required.flatMap((term, index) =>
      nodeTermWarnings(
        term,
        false,
        `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`,
      ),
    ),
    ...preferred.flatMap(({ preference }, index) =>
      nodeTermWarnings(
        preference,
        true,
        `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
      ),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, labelSelector }, index) => {
      const item = `${field}.topologySpreadConstraints[${index}]`;
      const old = deprecatedLabel(topologyKey);
      return [
        ...(old ? [`${item}.topologyKey: ${topologyKey} is ${old}`] : []),
        ...(labelSelector ? [] : [`${item}.labelSelector: a null labelSelector results in matching no pod`]),
      ];
    }),
  ];
}

function volumeWarnings(spec: PodSpec, field: string): string[] {
  return (spec.volumes ?? []).flatMap((volume, index) => {
    const at = `${field}.volumes[${index}]`;
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
    return [
      ...oldVolumes
        .filter(([source]) => volume[source] !== undefined)
        .map(([, name, text]) => `${at}.${name}: ${text}`),
      ...(claim ? claimWarnings(claim, `${at}.ephemeral.volumeClaimTemplate.spec`) : []),
    ];
  });
}

function duplicateWarnings(spec: PodSpec, field: string): string[] {
  const secrets = (spec.imagePullSecrets ?? []).map(({ name }) => name ?? "");
  const addresses = (spec.hostAliases ?? []).map(({ ip }) => ip);
  return [
    ...[...repeated(addresses)].map(
      (index) => `${field}.hostAliases[${index}].ip: duplicate ip "${addresses[index]}"`,
    ),
    ...[...repeated(secrets)].map(
      (index) => `${field}.imagePullSecrets[${index}].name: duplicate name "${secrets[index]}"`,
    ),
    ...secrets.flatMap((name, index) =>
      name === "" ? [`${field}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
  ];
}

/** Warnings for each container in turn. */
function containersWarnings(
  { securityContext }: PodSpec,
  annotations: Readonly<Record<string, string>>,
  containers: readonly PlacedContainer[],
  template: string | undefined,
): string[] {
  const at = template === undefined ? "metadata.annotations" : `${template}.metadata.annotations`;
  const seccomp = (key: string, profile: unknown): string[] =>
    !profile && Object.hasOwn(annotations, key) ? [`${at}[${key}]: ${useSeccompField}`] : [];
  return [
    ...seccomp(seccompPodAnnotation, securityContext?.seccompProfile),
    ...containers.flatMap(([container, field]) => {
      const { name, securityContext: own } = container;
      const key = `${appArmorPrefix}${name}`;
      const hasProfile = own?.appArmorProfile ?? securityContext?.appArmorProfile;
      // Of pods those that prepare them warn, who fill the fields in.
      const asksForField = template !== undefined && !hasProfile && Object.hasOwn(annotations, key);
      return [
        ...seccomp(`${seccompPrefix}${name}`, own?.seccompProfile),
        ...(asksForField ? [appArmorWarning(at, key)] : []),
        ...resourceWarnings(container, `${field}.resources`),
        ...envWarnings(container, field),
      ];
    }),
  ];
}

/** Bytes cannot be split. */
function fractions(list: Amounts, field: string, name: string): string[] {
  const quantity = list?.[name];
  const amount = quantity === undefined ? undefined : Amount.parse(quantity);
  if (!amount || amount.milliValue() % 1000n === 0n) return [];
  return [`${field}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`];
}

const resourceWarnings = ({ resources }: Container, field: string): string[] =>
  inBytes.flatMap((name) => [
    ...fractions(resources?.limits, `${field}.limits`, name),
    ...fractions(resources?.requests, `${field}.requests`, name),
  ]);

function envWarnings({ env = [] }: Container, field: string): string[] {
  const names = env.map(({ name }) => name);
  const hidden = [...repeated(names)].filter((index) => {
    const { name = "", value = "", valueFrom } = env[index] ?? {};
    const reference = `$(${name})`;
    return valueFrom !== undefined || value === reference || !value.includes(reference);
  });
  return hidden.map(
    (index) =>
      `${field}.env[${index}]: hides previous definition of "${names[index]}", which may be dropped when using apply`,
  );
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
