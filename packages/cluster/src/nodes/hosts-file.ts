// The file by which programs of a pod know its own name, and the names that its spec adds.
import type { Pod } from "@kubewright/api";

/** `/etc/hosts` of a pod that has a network of its own. */
export function hostsFile({ metadata, spec }: Pod, podIP: string): string {
  const host = spec?.hostname ?? metadata?.name ?? "";
  const full = spec?.subdomain ? `${host}.${spec.subdomain}.${metadata?.namespace}.svc.cluster.local\t` : "";
  const lines = [
    "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    "fe00::0\tip6-localnet",
    "fe00::0\tip6-mcastprefix",
    "fe00::1\tip6-allnodes",
    "fe00::2\tip6-allrouters",
    `${podIP}\t${full}${host}`,
  ];
  const aliases = (spec?.hostAliases ?? []).map(({ ip, hostnames = [] }) => [ip, ...hostnames].join("\t"));
  if (aliases.length > 0) lines.push("", "# Entries added by HostAliases.", ...aliases);
  return `${lines.join("\n")}\n`;
}
