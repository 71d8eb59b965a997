// The order of built-in groups and versions, as kube-apiserver ranks them: higher comes first in discovery.
import type { GroupVersion } from "@kubewright/api";

export interface ApiPriority {
  readonly group: number;
  readonly version: number;
}

const groups: ReadonlyMap<string, number> = new Map([
  ["", 18_000],
  ["apps", 17_800],
  ["events.k8s.io", 17_750],
  ["authentication.k8s.io", 17_700],
  ["authorization.k8s.io", 17_600],
  ["autoscaling", 17_500],
  ["batch", 17_400],
  ["certificates.k8s.io", 17_300],
  ["networking.k8s.io", 17_200],
  ["policy", 17_100],
  ["rbac.authorization.k8s.io", 17_000],
  ["storage.k8s.io", 16_800],
  ["apiextensions.k8s.io", 16_700],
  ["admissionregistration.k8s.io", 16_700],
  ["scheduling.k8s.io", 16_600],
  ["coordination.k8s.io", 16_500],
  ["node.k8s.io", 16_300],
  ["discovery.k8s.io", 16_200],
  ["resource.k8s.io", 16_200],
  ["flowcontrol.apiserver.k8s.io", 16_100],
]);

const usualVersion = 15;
const versions: ReadonlyMap<string, number> = new Map([
  ["/v1", 1],
  ["autoscaling/v2", 30],
  ["flowcontrol.apiserver.k8s.io/v1", 21],
  ["resource.k8s.io/v1", 20],
]);

/** That of every version of a custom group. */
export const customPriority: ApiPriority = { group: 1000, version: 100 };

/** The group of APIServices themselves, which nobody registers, comes before all others. */
export const foremost: ApiPriority = { group: 20_000, version: usualVersion };

/** The rank of a built-in group version; undefined for those that are registered nowhere. */
export function builtInPriority({ group, version }: GroupVersion): ApiPriority | undefined {
  const rank = groups.get(group);
  if (rank === undefined) return undefined;
  return { group: rank, version: versions.get(`${group}/${version}`) ?? usualVersion };
}
