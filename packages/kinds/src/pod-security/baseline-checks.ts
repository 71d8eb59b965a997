// The checks of the level "baseline", by their names.
import {
  type Container,
  type Lifecycle,
  type Probe,
  type SELinuxOptions,
  stringifyJson,
} from "@kubewright/api";
import {
  containersOf,
  distinct,
  hasOwnUsers,
  named,
  offenders,
  type PodCheck,
  plural,
  quoted,
  setters,
  type VersionedCheck,
} from "./check.js";

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
const isAllowedAppArmor = (type: string | undefined): boolean =>
  type === undefined || type === "RuntimeDefault" || type === "Localhost";
const isAllowedAnnotation = (value: string): boolean =>
  value === "" || value === "runtime/default" || value.startsWith("localhost/");

const appArmorProfile: PodCheck = ({ metadata, spec }) => {
  const podType = spec.securityContext?.appArmorProfile?.type;
  const bad = offenders(spec, ({ appArmorProfile }) => !isAllowedAppArmor(appArmorProfile?.type));
  const types = containersOf(spec).map(({ securityContext }) => securityContext?.appArmorProfile?.type);
  const values = distinct(
    [podType, ...types].flatMap((type) => (type && !isAllowedAppArmor(type) ? [type] : [])),
  );
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAnnotation(value))
    .map(([key, value]) => `${key}=${stringifyJson(value)}`)
    .sort();
  const all = [...values, ...annotations];
  if (all.length === 0) return undefined;
  const who = [
    setters(!isAllowedAppArmor(podType), bad),
    annotations.length > 0 ? plural("annotation", annotations.length) : "",
  ];
  return {
    reason: plural("forbidden AppArmor profile", all.length),
    detail: `${who.filter(Boolean).join(" and ")} must not set AppArmor profile type to ${quoted(all)}`,
  };
};

const defaultCapabilities = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

const capabilities: PodCheck = ({ spec }) => {
  const unusual = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !defaultCapabilities.has(name));
  const bad = offenders(spec, (_context, container) => unusual(container).length > 0);
  if (bad.length === 0) return undefined;
  const names = quoted(distinct(containersOf(spec).flatMap(unusual)));
  return {
    reason: "non-default capabilities",
    detail: `${named(bad)} must not include ${names} in securityContext.capabilities.add`,
  };
};

const hostNamespaces: PodCheck = ({ spec }) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name]);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", ") };
};

const hostPathVolumes: PodCheck = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural("volume", names.length)} ${quoted(names)}` };
};

const hostPorts: PodCheck = ({ spec }) => {
  const portsOf = ({ ports = [] }: Container): string[] =>
    ports.flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = offenders(spec, (_context, container) => portsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = distinct(containersOf(spec).flatMap(portsOf));
  const use = bad.length === 1 ? "uses" : "use";
  return {
    reason: "hostPort",
    detail: `${named(bad)} ${use} ${plural("hostPort", ports.length)} ${ports.join(", ")}`,
  };
};

const hostProbes: PodCheck = ({ spec }) => {
  const bad = distinct(offenders(spec, (_context, container) => hostsOf(container).length > 0));
  if (bad.length === 0) return undefined;
  const hosts = distinct(containersOf(spec).flatMap(hostsOf));
  const use = bad.length === 1 ? "uses" : "use";
  const what = plural("probe or lifecycle host", hosts.length);
  return { reason: "probe or lifecycle host", detail: `${named(bad)} ${use} ${what} ${quoted(hosts)}` };
};

type Handler = Pick<Probe, "httpGet" | "tcpSocket"> | Lifecycle["preStop"];

function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers: Handler[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return handlers.flatMap((handler) =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].flatMap((host) => host || []),
  );
}

const privileged: PodCheck = ({ spec }) => {
  const bad = offenders(spec, (context) => context.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: "privileged", detail: `${named(bad)} must not set securityContext.privileged=true` };
};

/** Anything but the usual view of /proc. */
export const procMount: PodCheck = ({ spec }) => {
  const bad = offenders(spec, (context) => (context.procMount ?? "Default") !== "Default");
  if (bad.length === 0) return undefined;
  const types = containersOf(spec).map(({ securityContext }) => securityContext?.procMount ?? "Default");
  const unusual = distinct(types.filter((type) => type !== "Default"));
  return {
    reason: "procMount",
    detail: `${named(bad)} must not set securityContext.procMount to ${quoted(unusual)}`,
  };
};

const seLinuxOptions =
  (allowed: readonly string[]): PodCheck =>
  ({ spec }) => {
    const isBad = (options: SELinuxOptions | undefined): boolean =>
      Boolean(options?.user || options?.role) || !["", ...allowed].includes(options?.type ?? "");
    const podOptions = spec.securityContext?.seLinuxOptions;
    const bad = offenders(spec, (context) => isBad(context.seLinuxOptions));
    if (!isBad(podOptions) && bad.length === 0) return undefined;
    const own = containersOf(spec).map(({ securityContext }) => securityContext?.seLinuxOptions);
    const all = [podOptions, ...own];
    const types = distinct(
      all.flatMap((one) => (one?.type && !allowed.includes(one.type) ? [one.type] : [])),
    );
    const data = [
      ...(types.length > 0 ? [`${plural("type", types.length)} ${quoted(types)}`] : []),
      ...(all.some((one) => one?.user) ? ["user may not be set"] : []),
      ...(all.some((one) => one?.role) ? ["role may not be set"] : []),
    ];
    return {
      reason: "seLinuxOptions",
      detail: `${setters(isBad(podOptions), bad)} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}`,
    };
  };

const isAllowedSeccomp = (type: string): boolean => type === "RuntimeDefault" || type === "Localhost";

/** Profiles that were chosen, and should not have been. */
export const seccompProfile: PodCheck = ({ spec }) => {
  const isBad = (profile: { readonly type?: string } | undefined): boolean =>
    profile !== undefined && !isAllowedSeccomp(profile.type ?? "");
  const podProfile = spec.securityContext?.seccompProfile;
  const bad = offenders(spec, (context) => isBad(context.seccompProfile));
  if (!isBad(podProfile) && bad.length === 0) return undefined;
  const own = containersOf(spec).map(({ securityContext }) => securityContext?.seccompProfile);
  const types = [podProfile, ...own].filter(isBad).map((profile) => profile?.type ?? "");
  return {
    reason: "seccompProfile",
    detail: `${setters(isBad(podProfile), bad)} must not set securityContext.seccompProfile.type to ${quoted(distinct(types))}`,
  };
};

const seccompAnnotations: PodCheck = ({ metadata, spec }) => {
  const keys = containersOf(spec).map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`);
  const bad = ["seccomp.security.alpha.kubernetes.io/pod", ...keys].flatMap((key) => {
    const value = metadata.annotations?.[key];
    const isFine =
      ["runtime/default", "docker/default", undefined].includes(value) || value?.startsWith("localhost/");
    return isFine ? [] : [`${key}=${stringifyJson(value)}`];
  });
  if (bad.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `forbidden ${plural("annotation", bad.length)} ${distinct(bad).join(", ")}`,
  };
};

const safeSysctls = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
];
const safeSysctls27 = [...safeSysctls, "net.ipv4.ip_local_reserved_ports"];
const safeSysctls29 = [
  ...safeSysctls27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const safeSysctls32 = [...safeSysctls29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

const sysctls =
  (allowed: readonly string[]): PodCheck =>
  ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name);
    const bad = names.filter((name) => !allowed.includes(name));
    return bad.length > 0 ? { reason: "forbidden sysctls", detail: bad.join(", ") } : undefined;
  };

const windowsHostProcess: PodCheck = ({ spec }) => {
  const pod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const bad = offenders(spec, (context) => context.windowsOptions?.hostProcess === true);
  if (!pod && bad.length === 0) return undefined;
  const detail = `${setters(pod, bad)} must not set securityContext.windowsOptions.hostProcess=true`;
  return { reason: "hostProcess", detail };
};

const containerTypes = ["container_t", "container_init_t", "container_kvm_t"];

/** In the order they are reported. */
export const baselineChecks: readonly VersionedCheck[] = [
  { id: "appArmorProfile", versions: [[0, appArmorProfile]] },
  { id: "capabilities_baseline", versions: [[0, capabilities]] },
  { id: "hostNamespaces", versions: [[0, hostNamespaces]] },
  { id: "hostPathVolumes", versions: [[0, hostPathVolumes]] },
  { id: "hostPorts", versions: [[0, hostPorts]] },
  { id: "hostProbesAndHostLifecycle", versions: [[34, hostProbes]] },
  { id: "privileged", versions: [[0, privileged]] },
  {
    id: "procMount",
    versions: [
      [0, procMount],
      [35, (pod) => (hasOwnUsers(pod.spec) ? undefined : procMount(pod))],
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      [0, seLinuxOptions(containerTypes)],
      [31, seLinuxOptions([...containerTypes, "container_engine_t"])],
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      [0, seccompAnnotations],
      [19, seccompProfile],
    ],
  },
  {
    id: "sysctls",
    versions: [
      [0, sysctls(safeSysctls)],
      [27, sysctls(safeSysctls27)],
      [29, sysctls(safeSysctls29)],
      [32, sysctls(safeSysctls32)],
    ],
  },
  { id: "windowsHostProcess", versions: [[0, windowsHostProcess]] },
];
