// The files by which the programs of a pod find others by name: `/etc/hosts` and `/etc/resolv.conf`.
import type { Pod } from "@kubewright/api";
import { gateway, type NameTable } from "./agent/messages.js";

const domain = "cluster.local";

/** The lines of a hosts file for the names of the cluster, at the addresses that programs find them at; for pods without a name server. */
export function clusterHosts({ addresses, aliases }: NameTable, namespace: string): string {
  // One line for each address of each name, with the shorter names that the search list of a pod would allow.
  const own = `.${namespace}.svc.${domain}`;
  const shorter = (name: string): readonly string[] => [
    name,
    ...[own, `.svc.${domain}`, `.${domain}`]
      .filter((suffix) => name.endsWith(suffix))
      .map((suffix) => name.slice(0, -suffix.length)),
  ];
  const lines = (name: string, at: string): readonly string[] =>
    (Object.hasOwn(addresses, at) ? (addresses[at] ?? []) : []).map(
      (address) => `${address}\t${shorter(name).join("\t")}\n`,
    );
  return [
    ...Object.keys(addresses).flatMap((name) => lines(name, name)),
    ...Object.entries(aliases).flatMap(([name, target]) => lines(name, target)),
  ].join("");
}

/** The resolver file of a pod that asks the name server of the cluster. */
export function resolverFile({ metadata, spec }: Pod): string {
  const { nameservers = [], searches = [], options = [] } = spec?.dnsConfig ?? {};
  const isOwn = spec?.dnsPolicy === "None";
  const domains = isOwn ? [] : [`${metadata?.namespace}.svc.${domain}`, `svc.${domain}`, domain];
  const lines = [
    ...[...(isOwn ? [] : [gateway]), ...nameservers].map((each) => `nameserver ${each}`),
    `search ${[...domains, ...searches].join(" ")}`,
    `options ${[...(isOwn ? [] : ["ndots:5"]), ...options.map(({ name, value }) => (value === undefined ? name : `${name}:${value}`))].join(" ")}`,
  ];
  return `${lines.join("\n")}\n`;
}
