// What a spec asks for, in terms of members, users and roles, and what of it is not done as asked.
import type { Secret } from "@kubewright/api";
import {
  defaultKeyOfPassword,
  defaultUserDatabase,
  type MongoDBCommunity,
} from "../api/v1/mongo-db-community.js";
import type { Mechanism } from "../client/scram.js";
import { compareVersions, seriesOf } from "../release/series.js";
import { versionChange } from "../release/version-path.js";
import { refusedOptions } from "./mongod-config.js";
import { exporterUser, forceAnnotation, operatorUser } from "./names.js";
import { mostVoters, type Wanted, type WantedRole, type WantedUser } from "./observed.js";
import { overridesOf } from "./overrides.js";
import type { TlsProblem } from "./tls.js";

/** Something asked for that is not done as asked. */
export interface Objection {
  readonly reason:
    | "Downgrade"
    | "SeriesSkipped"
    | "CompatibilityBehind"
    | "CompatibilityRefused"
    | "EvenVotes"
    | "HorizonsIncomplete"
    | "OptionsRefused"
    | "OverridesRefused"
    | "OverridesInvalid"
    | "ClaimTemplatesFixed"
    | "PasswordMissing"
    | "NameReserved"
    | "ModeMissing"
    | "TlsRequired"
    | "CertificateMissing"
    | "CertificateInvalid"
    | "StorageNotShrunk"
    | "ScheduleUnreadable"
    | "ImageUnknown";
  readonly message: string;
}

export interface Reading {
  readonly wanted: Wanted;
  readonly objections: readonly Objection[];
}

/** What the spec is read beside. */
export interface Found {
  /** The versions that members run. */
  readonly versions: readonly string[];
  readonly compatibility: string | undefined;
  readonly secret: (name: string) => Secret | undefined;
  /** Users of the operator's own making beside those of the spec. */
  readonly ownUsers: readonly WantedUser[];
  /** The subject of the operator's certificate, where it logs in with one. */
  readonly operatorSubject: string | undefined;
  /** Why TLS cannot be had as asked. */
  readonly tlsProblem: TlsProblem | undefined;
  /** Nothing can be started, or logged in to, before that is mended. */
  readonly isTlsMissing: boolean;
}

export function readSpec(mongodb: MongoDBCommunity, found: Found): Reading {
  const { spec, status, metadata } = mongodb;
  const objections: Objection[] = [];
  const refuse = (objection: Objection | undefined): void => {
    if (objection) objections.push(objection);
  };
  const members = spec.members ?? 1;
  const arbiters = spec.arbiters ?? 0;
  refuse(evenVotes(members, arbiters));
  const version = versionOf(mongodb, found);
  refuse(version.objection);
  const compatibility = compatibilityOf(mongodb, version.version);
  refuse(compatibility.objection);
  const horizons = horizonsOf(mongodb, members);
  refuse(horizons.objection);
  const users = usersOf(mongodb, found);
  for (const objection of users.objections) refuse(objection);
  const options = refusedOptions(spec.additionalMongodConfig ?? {});
  if (options.length > 0)
    refuse({
      reason: "OptionsRefused",
      message: `the operator sets ${options.join(", ")} itself; other options are taken`,
    });
  const { refused } = overridesOf(mongodb);
  if (refused.length > 0)
    refuse({
      reason: "OverridesRefused",
      message: `the operator sets ${refused.join(", ")} of statefulSet itself; all else is merged`,
    });
  const needsTls = tlsRequired(mongodb);
  refuse(needsTls);
  refuse(found.tlsProblem);
  const obstacle = needsTls?.message ?? (found.isTlsMissing ? found.tlsProblem?.message : undefined);
  const forceFrom = metadata.annotations?.[forceAnnotation];
  return {
    objections,
    wanted: {
      members,
      arbiters,
      version: version.version,
      featureCompatibilityVersion: compatibility.version,
      horizons: horizons.horizons,
      users: [...users.users, ...found.ownUsers],
      roles: (spec.security.roles ?? []).map(roleOf),
      isPaused: spec.paused === true,
      obstacle,
      forceFrom: forceFrom && forceFrom !== status?.forcedBy ? forceFrom : undefined,
    },
  };
}

/** A certificate is shown in a handshake of TLS. */
function tlsRequired({ spec }: MongoDBCommunity): Objection | undefined {
  const { tls, authentication } = spec.security;
  const asked = [
    ...(authentication?.modes.includes("X509") ? ["the mode X509"] : []),
    ...(authentication?.internalCluster ? ["security.authentication.internalCluster"] : []),
    ...(authentication?.agentMode === "X509" ? ["the agentMode X509"] : []),
  ];
  return asked.length === 0 || tls?.enabled
    ? undefined
    : { reason: "TlsRequired", message: `${asked.join(" and ")} needs TLS: set security.tls.enabled` };
}

function evenVotes(members: number, arbiters: number): Objection | undefined {
  const voters = Math.min(mostVoters, members + arbiters);
  if (voters % 2 === 1) return undefined;
  const message = `${voters} votes survive no more failures than ${voters - 1}, and can split in two halves: add a member or an arbiter`;
  return { reason: "EvenVotes", message };
}

/** A change that is refused leaves the version as it is; one that is half done is finished. */
function versionOf(
  { spec }: MongoDBCommunity,
  { versions, compatibility }: Found,
): { readonly version: string; readonly objection?: Objection } {
  const ordered = versions.toSorted(compareVersions);
  const [lowest] = ordered;
  if (lowest === undefined) return { version: spec.version };
  const change = versionChange(lowest, spec.version, compatibility);
  if (change.kind !== "refused") return { version: spec.version };
  const { reason, message } = change;
  return { version: ordered.at(-1) ?? lowest, objection: { reason, message } };
}

/** A compatibility version that the release does not have would end every member: it is refused. */
function compatibilityOf(
  { spec }: MongoDBCommunity,
  version: string,
): { readonly version: string | undefined; readonly objection?: Objection } {
  const { featureCompatibilityVersion: asked } = spec;
  if (asked === undefined) return { version: undefined };
  const change = versionChange(`${asked}.0`, `${seriesOf(version)}.0`, undefined);
  if (change.kind === "none" || change.kind === "upgrade") return { version: asked };
  const message = `MongoDB ${version} has no feature compatibility version ${asked}; it stays as it is`;
  return { version: undefined, objection: { reason: "CompatibilityRefused", message } };
}

/** All members have horizons of the same names, or none has any. */
function horizonsOf(
  { spec }: MongoDBCommunity,
  members: number,
): { readonly horizons: Wanted["horizons"]; readonly objection?: Objection } {
  const given = spec.replicaSetHorizons ?? [];
  if (given.length === 0) return { horizons: [] };
  const names = given.slice(0, members).map((each) => Object.keys(each).toSorted().join());
  if (given.length >= members && new Set(names).size === 1) return { horizons: given.slice(0, members) };
  const message =
    given.length < members
      ? `replicaSetHorizons has ${given.length} entries for ${members} members; none is set before every member has one`
      : "the entries of replicaSetHorizons must all have the same names; none is set";
  return { horizons: [], objection: { reason: "HorizonsIncomplete", message } };
}

const roleOf = ({
  role,
  db,
  privileges,
  roles = [],
  authenticationRestrictions = [],
}: NonNullable<MongoDBCommunity["spec"]["security"]["roles"]>[number]): WantedRole => ({
  role,
  db,
  privileges,
  roles: roles.map(({ name, db: of }) => ({ role: name, db: of })),
  authenticationRestrictions,
});

export function mechanismsOf({ spec }: MongoDBCommunity): readonly Mechanism[] {
  const modes = spec.security.authentication?.modes ?? ["SCRAM"];
  const chosen = new Set<Mechanism>();
  for (const mode of modes) {
    if (mode === "SCRAM" || mode === "SCRAM-SHA-256") chosen.add("SCRAM-SHA-256");
    if (mode === "SCRAM-SHA-1") chosen.add("SCRAM-SHA-1");
  }
  return chosen.size > 0 ? [...chosen] : ["SCRAM-SHA-256"];
}

/** The database of users that show a certificate. */
export const external = "$external";

/** A user that could not log in: it is made all the same, since the modes may follow. */
function modeMissing({ spec }: MongoDBCommunity, name: string, db: string): Objection | undefined {
  const modes = spec.security.authentication?.modes ?? ["SCRAM"];
  const isPossible = modes.some((mode) => (mode === "X509") === (db === external));
  if (isPossible) return undefined;
  const message =
    db === external
      ? `the user ${name} logs in with a certificate: add X509 to security.authentication.modes`
      : `the user ${name} of ${db} logs in with a password: add SCRAM to security.authentication.modes, or make it a user of ${external}`;
  return { reason: "ModeMissing", message };
}

function usersOf(
  mongodb: MongoDBCommunity,
  { secret, operatorSubject, ownUsers }: Found,
): { readonly users: readonly WantedUser[]; readonly objections: readonly Objection[] } {
  const objections: Objection[] = [];
  const mechanisms = mechanismsOf(mongodb);
  const users = mongodb.spec.users.flatMap(({ name, db = defaultUserDatabase, passwordSecretRef, roles }) => {
    const isOwn = (name === operatorUser || name === exporterUser) && db === "admin";
    const isOfAgent = ownUsers.some((user) => user.name === name && user.db === db);
    if (isOwn || isOfAgent || (name === operatorSubject && db === external)) {
      objections.push({
        reason: "NameReserved",
        message: `${name} is the operator's own user; give yours another name`,
      });
      return [];
    }
    const missing = modeMissing(mongodb, name, db);
    if (missing) objections.push(missing);
    const password = passwordSecretRef && passwordIn(secret(passwordSecretRef.name), passwordSecretRef.key);
    return [
      {
        name,
        db,
        password,
        secret: passwordSecretRef?.name,
        roles: roles.map(({ name: role, db: of }) => ({ role, db: of })),
        mechanisms,
      },
    ];
  });
  return { users, objections };
}

export function passwordIn(secret: Secret | undefined, key = defaultKeyOfPassword): string | undefined {
  const encoded = secret?.data?.[key];
  return encoded ? Buffer.from(encoded, "base64").toString("utf8") : undefined;
}
