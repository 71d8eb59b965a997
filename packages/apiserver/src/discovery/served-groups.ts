// The groups a server has, in the order clients are shown them: built-in ones as Kubernetes ranks them, then custom ones by
// name; in each the version to prefer first.
import type { GroupVersionKinds, Registry } from "../registry/registry.js";
import { compareVersions } from "./version-order.js";

export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly GroupVersionKinds[];
}

export function servedGroups(registry: Registry): ServedGroup[] {
  const groups = new Map<string, GroupVersionKinds[]>();
  for (const entry of registry.groupVersions()) {
    const versions = groups.get(entry.group);
    if (versions) versions.push(entry);
    else groups.set(entry.group, [entry]);
  }
  const all = [...groups].map(([name, versions]) => ({ name, versions: versions.sort(preferred) }));
  const native = all.filter(({ name }) => registry.isNative(name));
  const custom = all.filter(({ name }) => !registry.isNative(name));
  return [...native, ...custom.sort((left, right) => (left.name < right.name ? -1 : 1))];
}

const preferred = (left: GroupVersionKinds, right: GroupVersionKinds): number =>
  compareVersions(left.version, right.version);
