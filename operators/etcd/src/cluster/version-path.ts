// Which versions of etcd may follow each other: patches of one minor version, and one minor version at a time, never back.

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** Three numbers; undefined for any other text. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? [];
  return major === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** Negative when the first is older. Texts that are no versions come first. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [parseVersion(one), parseVersion(other)];
  if (!a || !b) return (a ? 1 : 0) - (b ? 1 : 0);
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

export type VersionChange =
  | { readonly kind: "same" | "allowed" }
  | {
      readonly kind: "refused";
      readonly reason: "Downgrade" | "MinorSkipped" | "MajorChanged";
      readonly message: string;
    };

/** Whether members of one version may be replaced by those of another, and if not, which way leads there. */
export function versionChange(from: string, to: string): VersionChange {
  const [a, b] = [parseVersion(from), parseVersion(to)];
  if (!a || !b) return { kind: "allowed" };
  const order = compareVersions(from, to);
  if (order === 0) return { kind: "same" };
  if (order > 0)
    return {
      kind: "refused",
      reason: "Downgrade",
      message: `${from} cannot go back to ${to}: restore a backup that ${to} took into a new cluster`,
    };
  if (a.major !== b.major)
    return {
      kind: "refused",
      reason: "MajorChanged",
      message: `${from} cannot become ${to}: there is no path between major versions`,
    };
  if (b.minor - a.minor <= 1) return { kind: "allowed" };
  return {
    kind: "refused",
    reason: "MinorSkipped",
    message: `${from} cannot become ${to} at once: set the version to ${pathBetween(a, b).join(", then ")}`,
  };
}

/** One minor version after the other; patches of those between are for the user to choose. */
function pathBetween(from: Version, to: Version): readonly string[] {
  const path: string[] = [];
  for (let minor = from.minor + 1; minor < to.minor; minor++)
    path.push(`the newest ${from.major}.${minor}.x`);
  return [...path, `${to.major}.${to.minor}.${to.patch}`];
}
