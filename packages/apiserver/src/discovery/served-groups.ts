// The groups a server has, in the order clients are shown them: by the priorities of their APIServices, then by name; in each the
// version to prefer first.
import type { Aggregator, RemoteGroupVersion } from "../aggregation/aggregator.js";
import type { GroupVersionKinds, Registry } from "../registry/registry.js";
import { compareVersions } from "./version-order.js";

/** A version of a group: of this server, or of one behind it. */
export type ServedVersion = GroupVersionKinds | RemoteGroupVersion;

export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

/** The order of groups, and the group versions of extension API servers. */
export type Aggregation = Pick<Aggregator, "generation" | "priorityOf" | "remoteGroupVersions">;

export const isRemote = (version: ServedVersion): version is RemoteGroupVersion => "isStale" in version;

export function servedGroups(registry: Registry, aggregation: Aggregation): ServedGroup[] {
  const remote = aggregation.remoteGroupVersions();
  const isElsewhere = ({ group, version }: GroupVersionKinds): boolean =>
    remote.some((each) => each.group === group && each.version === version);
  const groups = new Map<string, ServedVersion[]>();
  for (const entry of [...[...registry.groupVersions()].filter((each) => !isElsewhere(each)), ...remote]) {
    const versions = groups.get(entry.group);
    if (versions) versions.push(entry);
    else groups.set(entry.group, [entry]);
  }
  const ranked = [...groups].map(([name, versions]) => rankedGroup(name, versions, aggregation));
  return ranked.sort((left, right) => right.rank - left.rank || (left.name < right.name ? -1 : 1));
}

/** A group is as high as the highest of its versions. */
function rankedGroup(name: string, versions: readonly ServedVersion[], aggregation: Aggregation) {
  const ranked = versions.map((entry) => {
    const { group, version } = aggregation.priorityOf(entry);
    return { entry, group, version };
  });
  ranked.sort(
    (left, right) => right.version - left.version || compareVersions(left.entry.version, right.entry.version),
  );
  const rank = Math.max(...ranked.map(({ group }) => group));
  return { name, rank, versions: ranked.map(({ entry }) => entry) };
}
