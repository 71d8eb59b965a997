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
  return `${lines.join("\n")}\n${aliasLines(spec)}`;
}

/** `/etc/hosts` of a simulated node. */
export const nodeHosts = "127.0.0.1\tlocalhost\n";

/** `/etc/hosts` of a pod on a simulated node that uses the network of the node. */
export const hostNetworkHosts = ({ spec }: Pod): string =>
  `# Kubernetes-managed hosts file (host network).\n${nodeHosts}${aliasLines(spec)}`;

function aliasLines(spec: Pod["spec"]): string {
  const aliases = (spec?.hostAliases ?? []).map(({ ip, hostnames = [] }) => [ip, ...hostnames].join("\t"));
  return aliases.length === 0 ? "" : `\n# Entries added by HostAliases.\n${aliases.join("\n")}\n`;
}
