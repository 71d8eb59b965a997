// The pod security policy of a namespace: labels name a level, and the Kubernetes version whose checks it means.
import { type FieldError, fieldError } from "@kubewright/api";

/** A level of the Pod Security Standards. */
export type SecurityLevel = "privileged" | "baseline" | "restricted";

/** A level as some version of Kubernetes defined it; "latest", or the minor version. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  readonly version: "latest" | number;
}

/** What happens to pods that violate a level. */
export type SecurityMode = "enforce" | "audit" | "warn";

/** The levels to enforce, audit and warn about. */
export type SecurityPolicy = Readonly<Record<SecurityMode, LevelVersion>>;

const levels: readonly SecurityLevel[] = ["privileged", "baseline", "restricted"];
const prefix = "pod-security.kubernetes.io/";

/** `restricted:v1.30` */
export const levelText = ({ level, version }: LevelVersion): string =>
  `${level}:${version === "latest" ? version : `v1.${version}`}`;

/** Whether two levels are the same, in the same version. */
export const sameLevel = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && a.version === b.version;

/** Positive when the first is stricter. */
export const compareLevels = (a: SecurityLevel, b: SecurityLevel): number =>
  levels.indexOf(a) - levels.indexOf(b);

/** The policy labels ask for. What cannot be read is refused most strictly, and neither recorded nor warned about. */
export function policyOf(
  labels: Readonly<Record<string, string>>,
  defaults: SecurityPolicy,
): { readonly policy: SecurityPolicy; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const read = (mode: SecurityMode): LevelVersion => {
    const level = readLevel(labels, mode, errors) ?? defaults[mode].level;
    return { level, version: readVersion(labels, mode, errors) ?? defaults[mode].version };
  };
  return { policy: { enforce: read("enforce"), audit: read("audit"), warn: read("warn") }, errors };
}

function readLevel(
  labels: Readonly<Record<string, string>>,
  mode: SecurityMode,
  errors: FieldError[],
): SecurityLevel | undefined {
  const label = `${prefix}${mode}`;
  const value = labels[label];
  if (value === undefined) return undefined;
  const level = levels.find((known) => known === value);
  if (level) return level;
  errors.push(fieldError.invalid(`metadata.labels[${label}]`, value, `must be one of ${levels.join(", ")}`));
  return mode === "enforce" ? "restricted" : "privileged";
}

function readVersion(
  labels: Readonly<Record<string, string>>,
  mode: SecurityMode,
  errors: FieldError[],
): LevelVersion["version"] | undefined {
  const label = `${prefix}${mode}-version`;
  const value = labels[label];
  if (value === undefined || value === "latest") return value;
  const minor = /^v1\.(0|[1-9][0-9]{0,8})$/.exec(value)?.[1];
  if (minor !== undefined) return Number(minor);
  errors.push(fieldError.invalid(`metadata.labels[${label}]`, value, 'must be "latest" or "v1.x"'));
  return "latest";
}
