import type { UserInfo } from "@kubewright/kinds";

const prefix = "system:node:";
const group = "system:nodes";

/** The node whose kubelet this is: empty where the name is missing, undefined for every other user. */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(prefix) && groups.includes(group) ? name.slice(prefix.length) : undefined;
}
