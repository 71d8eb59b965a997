// Changes of version: within a release series at any time, to the next series one at a time, never back.
import { compareVersions, series, seriesBefore, seriesOf } from "./series.js";

export type VersionChange =
  | { readonly kind: "none" | "patch" | "upgrade" }
  | {
      readonly kind: "refused";
      readonly reason: "Downgrade" | "SeriesSkipped" | "CompatibilityBehind";
      readonly message: string;
    };

/** Whether a replica set of one version may become another; the compatibility version must have followed the last upgrade. */
export function versionChange(from: string, to: string, compatibility: string | undefined): VersionChange {
  const order = compareVersions(to, from);
  if (order === 0) return { kind: "none" };
  const [old, next] = [seriesOf(from), seriesOf(to)];
  if (old === next) return { kind: "patch" };
  if (order < 0) return downgrade(from, to, compatibility);
  if (seriesBefore(next) !== old) {
    const path = series.slice(series.indexOf(old) + 1, series.indexOf(next));
    const steps =
      path.length > 0
        ? path.map((each) => `the newest ${each}.x`).join(", then ")
        : "a release series that is known";
    return {
      kind: "refused",
      reason: "SeriesSkipped",
      message: `${from} cannot become ${to} at once: set the version to ${steps}, then ${to}`,
    };
  }
  if (compatibility !== undefined && compatibility !== old)
    return {
      kind: "refused",
      reason: "CompatibilityBehind",
      message: `${from} cannot become ${to} while the feature compatibility version is ${compatibility}: set featureCompatibilityVersion to "${old}" first`,
    };
  return { kind: "upgrade" };
}

/** Back by one series, as long as the compatibility version is still that series'. */
function downgrade(from: string, to: string, compatibility: string | undefined): VersionChange {
  const next = seriesOf(to);
  if (seriesBefore(seriesOf(from)) === next && compatibility === next) return { kind: "upgrade" };
  return {
    kind: "refused",
    reason: "Downgrade",
    message: `${from} cannot become ${to} with the feature compatibility version ${compatibility ?? "that it has"}: members would not start; restore a backup into a new replica set`,
  };
}
