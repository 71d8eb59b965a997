// The user, groups and capabilities that the programs of a container run with.
import type { Container, Pod } from "@kubewright/api";
import type { Isolation } from "./machine.js";

/** The default capabilities of a container. */
const usualCapabilities =
  "chown dac_override fowner fsetid kill setgid setuid setpcap net_bind_service net_raw sys_chroot mknod audit_write setfcap".split(
    " ",
  );

/** Flags of `setpriv`; `ignored` says what the pod asks for and cannot have here. */
export function privilegesOf(
  pod: Pod,
  { securityContext: own }: Container,
  { otherUsers }: Isolation,
): { readonly flags: readonly string[]; readonly ignored: string | undefined } {
  const shared = pod.spec?.securityContext;
  const user = own?.runAsUser ?? shared?.runAsUser ?? 0;
  const group = own?.runAsGroup ?? shared?.runAsGroup ?? 0;
  const groups = [
    ...(shared?.supplementalGroups ?? []),
    ...(shared?.fsGroup === undefined ? [] : [shared.fsGroup]),
  ];
  const isOther = user !== 0 || group !== 0 || groups.length > 0;
  const flags = [...capabilityFlags(own)];
  if (own?.allowPrivilegeEscalation === false) flags.push("--no-new-privs");
  if (isOther && otherUsers) {
    flags.push("--reuid", String(user), "--regid", String(group));
    if (groups.length > 0) flags.push("--groups", groups.join(","));
    else flags.push("--clear-groups");
  }
  const ignored = isOther && !otherUsers ? `runAsUser ${user} is not possible without root` : undefined;
  return { flags, ignored };
}

function capabilityFlags(context: Container["securityContext"]): readonly string[] {
  if (context?.privileged) return [];
  const { add = [], drop = [] } = context?.capabilities ?? {};
  const named = (names: readonly string[]): readonly string[] =>
    names.map((name) => name.toLowerCase().replace(/^cap_/, ""));
  if (named(add).includes("all")) return [];
  const dropped = named(drop);
  const kept = dropped.includes("all") ? [] : usualCapabilities.filter((name) => !dropped.includes(name));
  const all = [...new Set([...kept, ...named(add).filter((name) => /^[a-z_]+$/.test(name))])];
  return ["--inh-caps=-all", `--bounding-set=${["-all", ...all.map((name) => `+${name}`)].join(",")}`];
}
