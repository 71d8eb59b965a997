// The checks of the level "restricted", by their names.
import type { Container, Volume } from "@kubewright/api";
import { procMount, seccompProfile } from "./baseline-checks.js";
import {
  containersOf,
  distinct,
  hasOwnUsers,
  isWindows,
  named,
  offenders,
  type PodCheck,
  plural,
  quoted,
  setters,
  type VersionedCheck,
} from "./check.js";

const allowPrivilegeEscalation: PodCheck = ({ spec }) => {
  const bad = offenders(spec, (context) => context.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${named(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilities: PodCheck = ({ spec }) => {
  const added = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => name !== "NET_BIND_SERVICE");
  const keeping = offenders(spec, (context) => !(context.capabilities?.drop ?? []).includes("ALL"));
  const adding = offenders(spec, (_context, container) => added(container).length > 0);
  const names = quoted(distinct(containersOf(spec).flatMap(added)));
  const details = [
    ...(keeping.length > 0 ? [`${named(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [`${named(adding)} must not include ${names} in securityContext.capabilities.add`]
      : []),
  ];
  return details.length > 0 ? { reason: "unrestricted capabilities", detail: details.join("; ") } : undefined;
};

const allowedVolumes: readonly (keyof Volume)[] = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/** Sources with a name in messages; newer ones have none. */
const namedVolumes: readonly (keyof Volume)[] = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
];

const restrictedVolumes: PodCheck = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((source) => volume[source]));
  if (bad.length === 0) return undefined;
  const sources = bad.map((volume) => namedVolumes.find((source) => volume[source]) ?? "unknown");
  const types = distinct(sources);
  const names = bad.map(({ name }) => name);
  const use = bad.length === 1 ? "uses" : "use";
  return {
    reason: "restricted volume types",
    detail: `${plural("volume", names.length)} ${quoted(names)} ${use} ${plural("restricted volume type", types.length)} ${quoted(types)}`,
  };
};

const runAsNonRoot: PodCheck = ({ spec }) => {
  const pod = spec.securityContext?.runAsNonRoot;
  const refusing = offenders(spec, (context) => context.runAsNonRoot === false);
  const reason = "runAsNonRoot != true";
  if (pod === false || refusing.length > 0) {
    return {
      reason,
      detail: `${setters(pod === false, refusing)} must not set securityContext.runAsNonRoot=false`,
    };
  }
  const silent = pod ? [] : offenders(spec, (context) => context.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${named(silent)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: PodCheck = ({ spec }) => {
  const pod = spec.securityContext?.runAsUser === 0;
  const bad = offenders(spec, (context) => context.runAsUser === 0);
  if (!pod && bad.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${setters(pod, bad)} must not set runAsUser=0` };
};

const seccompRequired: PodCheck = (pod) => {
  const chosen = seccompProfile(pod);
  if (chosen) return chosen;
  if (pod.spec.securityContext?.seccompProfile) return undefined;
  const silent = offenders(pod.spec, (context) => context.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  const detail = `pod or ${named(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: "seccompProfile", detail };
};

const notOnWindows =
  (check: PodCheck): PodCheck =>
  (pod) =>
    isWindows(pod.spec) ? undefined : check(pod);

const unlessOwnUsers =
  (check: PodCheck): PodCheck =>
  (pod) =>
    hasOwnUsers(pod.spec) ? undefined : check(pod);

/** In the order they are reported. */
export const restrictedChecks: readonly VersionedCheck[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      [8, allowPrivilegeEscalation],
      [25, notOnWindows(allowPrivilegeEscalation)],
    ],
  },
  {
    id: "capabilities_restricted",
    replaces: "capabilities_baseline",
    versions: [
      [22, capabilities],
      [25, notOnWindows(capabilities)],
    ],
  },
  { id: "procMount_restricted", replaces: "procMount", versions: [[35, procMount]] },
  { id: "restrictedVolumes", replaces: "hostPathVolumes", versions: [[0, restrictedVolumes]] },
  {
    id: "runAsNonRoot",
    versions: [
      [0, runAsNonRoot],
      [35, unlessOwnUsers(runAsNonRoot)],
    ],
  },
  {
    id: "runAsUser",
    versions: [
      [23, runAsUser],
      [35, unlessOwnUsers(runAsUser)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    replaces: "seccompProfile_baseline",
    versions: [
      [19, seccompRequired],
      [25, notOnWindows(seccompRequired)],
    ],
  },
];
