// What a spec asks for, in terms of members, users and roles, and what of it is not done as asked.
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { compareVersions, seriesOf } from "../release/series.js";
import { versionChange } from "../release/version-path.js";
import { refusedOptions } from "./mongod-config.js";
import { forceAnnotation } from "./names.js";
import type { Objection } from "./objection.js";
import { mostVoters, type Wanted } from "./observed.js";
import { overridesOf } from "./overrides.js";
import type { TlsProblem } from "./tls.js";
import { type KnownUsers, roleOf, usersOf } from "./wanted-users.js";

export interface Reading {
  readonly wanted: Wanted;
  readonly objections: readonly Objection[];
}

/** What the spec is read beside. */
export interface Found extends KnownUsers {
  /** The versions that members run. */
  readonly versions: readonly string[];
  readonly compatibility: string | undefined;
  /** Why TLS cannot be had as asked. */
  readonly tlsProblem: TlsProblem | undefined;
  /** Nothing can be started, or logged in to, before that is mended. */
  readonly isTlsMissing: boolean;
}

export function readSpec(mongodb: MongoDBCommunity, found: Found): Reading {
  const { spec, status, metadata } = mongodb;
  const { members = 1, arbiters = 0 } = spec;
  const version = versionOf(mongodb, found);
  const compatibility = compatibilityOf(mongodb, version.version);
  const horizons = horizonsOf(mongodb, members);
  const users = usersOf(mongodb, found);
  const needsTls = tlsRequired(mongodb);
  const objections = [
    evenVotes(members, arbiters),
    version.objection,
    compatibility.objection,
    horizons.objection,
    ...users.objections,
    optionsRefused(mongodb),
    overridesRefused(mongodb),
    needsTls,
    found.tlsProblem,
  ];
  const obstacle = needsTls?.message ?? (found.isTlsMissing ? found.tlsProblem?.message : undefined);
  const forceFrom = metadata.annotations?.[forceAnnotation];
  return {
    objections: objections.filter((each) => each !== undefined),
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

function optionsRefused({ spec }: MongoDBCommunity): Objection | undefined {
  const options = refusedOptions(spec.additionalMongodConfig ?? {});
  if (options.length === 0) return undefined;
  const message = `the operator sets ${options.join(", ")} itself; other options are taken`;
  return { reason: "OptionsRefused", message };
}

function overridesRefused(mongodb: MongoDBCommunity): Objection | undefined {
  const { refused } = overridesOf(mongodb);
  if (refused.length === 0) return undefined;
  const message = `the operator sets ${refused.join(", ")} of statefulSet itself; all else is merged`;
  return { reason: "OverridesRefused", message };
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
