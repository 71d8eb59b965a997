// The commands that the operator runs, with types. Nothing here decides anything.
import { isObject } from "@kubewright/api";
import { type Document, errorCodes, MongoFailure, type MongoMember } from "./mongo-member.js";
import { type MemberState, memberStates, type ReplicaSetConfig } from "./replica-set-documents.js";
import type { Mechanism, ScramCredential } from "./scram.js";

/** A member's own answer. */
export interface Hello {
  readonly isPrimary: boolean;
  readonly isSecondary: boolean;
  readonly isArbiter: boolean;
  /** Undefined for a member that belongs to no replica set, or to none any more. */
  readonly setName: string | undefined;
  readonly primary: string | undefined;
  readonly version: string;
}

/** A member as another one sees it. */
export interface MemberReport {
  readonly host: string;
  readonly state: MemberState;
  readonly isUp: boolean;
  /** When the last operation it has was written, in milliseconds since 1970. */
  readonly writtenAt: number | undefined;
  readonly message: string | undefined;
}

export interface SetStatus {
  readonly term: number;
  readonly members: readonly MemberReport[];
  /** What the member that was asked says of itself. */
  readonly own: OwnState;
}

export interface OwnState {
  readonly state: MemberState;
  /** Why it is in that state, in its own words; often nothing. */
  readonly message: string | undefined;
}

export interface RoleName {
  readonly role: string;
  readonly db: string;
}

export interface UserInfo {
  readonly user: string;
  readonly db: string;
  readonly roles: readonly RoleName[];
  readonly credentials: Readonly<Partial<Record<Mechanism, ScramCredential>>>;
  readonly customData: Document;
}

export interface RoleInfo {
  readonly role: string;
  readonly db: string;
  readonly privileges: readonly Document[];
  readonly roles: readonly RoleName[];
  readonly authenticationRestrictions: readonly Document[];
}

/** Acknowledged by a majority, or reported as failed in time. */
export const majority = { w: "majority", wtimeout: 10_000 } as const;

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const list = (value: unknown): readonly Document[] => (Array.isArray(value) ? value.filter(isObject) : []);

export async function hello(member: MongoMember): Promise<Hello> {
  const answer = await greeting(member);
  const build = await member.command("admin", { buildInfo: 1 });
  return {
    isPrimary: answer["ismaster"] === true || answer["isWritablePrimary"] === true,
    isSecondary: answer["secondary"] === true,
    isArbiter: answer["arbiterOnly"] === true,
    setName: text(answer["setName"]),
    primary: text(answer["primary"]),
    version: text(build["version"]) ?? "",
  };
}

/** Versions before 4.2.10 know only the older name. */
async function greeting(member: MongoMember): Promise<Document> {
  try {
    return await member.command("admin", { hello: 1 });
  } catch (error) {
    if (!(error instanceof MongoFailure) || error.code !== errorCodes.commandNotFound) throw error;
    return member.command("admin", { isMaster: 1 });
  }
}

export async function setStatus(member: MongoMember): Promise<SetStatus> {
  const answer = await member.command("admin", { replSetGetStatus: 1 });
  const members = list(answer["members"]);
  return {
    term: Number(answer["term"] ?? 0),
    own: {
      state: stateOf(answer["myState"]),
      message: text(members.find(({ self }) => self === true)?.["infoMessage"]) || progressOf(answer),
    },
    members: members.map((each) => ({
      host: text(each["name"]) ?? "",
      state: stateOf(each["state"]),
      isUp: each["health"] === 1,
      writtenAt: each["optimeDate"] instanceof Date ? each["optimeDate"].getTime() : undefined,
      message: text(each["lastHeartbeatMessage"]) || undefined,
    })),
  };
}

/** How far a first copy of the data is, which only the member itself knows. */
function progressOf({ initialSyncStatus: sync }: Document): string | undefined {
  if (!isObject(sync)) return undefined;
  const failed = Number(sync["failedInitialSyncAttempts"] ?? 0);
  const [copied, total] = [Number(sync["approxTotalBytesCopied"]), Number(sync["approxTotalDataSize"])];
  const parts = [
    ...(copied >= 0 && total > 0 ? [`${Math.floor((100 * copied) / total)} % of the data copied`] : []),
    ...(failed > 0 ? [`${failed} failed attempts`] : []),
  ];
  return parts.join(", ") || undefined;
}

const stateOf = (number: unknown): MemberState =>
  memberStates[Number(number) as keyof typeof memberStates] ?? "UNKNOWN";

export async function setConfig(member: MongoMember): Promise<ReplicaSetConfig> {
  const answer = await member.command("admin", { replSetGetConfig: 1 });
  return answer["config"] as ReplicaSetConfig;
}

export async function compatibilityVersion(member: MongoMember): Promise<string | undefined> {
  const answer = await member.command("admin", { getParameter: 1, featureCompatibilityVersion: 1 });
  const value = answer["featureCompatibilityVersion"];
  return isObject(value) ? text(value["version"]) : text(value);
}

/** The write concern that holds where nobody has set one; undefined where somebody has. From 5.0 on. */
export async function implicitWriteConcern(member: MongoMember): Promise<Document | undefined> {
  const answer = await member.command("admin", { getDefaultRWConcern: 1 });
  const concern = answer["defaultWriteConcern"];
  return answer["defaultWriteConcernSource"] === "implicit" && isObject(concern) ? concern : undefined;
}

export async function users(member: MongoMember): Promise<readonly UserInfo[]> {
  const answer = await member.command("admin", { usersInfo: { forAllDBs: true }, showCredentials: true });
  return list(answer["users"]).map((each) => ({
    user: text(each["user"]) ?? "",
    db: text(each["db"]) ?? "",
    roles: list(each["roles"]).map(roleName),
    credentials: isObject(each["credentials"]) ? (each["credentials"] as UserInfo["credentials"]) : {},
    customData: isObject(each["customData"]) ? each["customData"] : {},
  }));
}

const roleName = (role: Document): RoleName => ({
  role: text(role["role"]) ?? "",
  db: text(role["db"]) ?? "",
});

/** Those of these roles that are there. */
export async function roles(member: MongoMember, names: readonly RoleName[]): Promise<readonly RoleInfo[]> {
  if (names.length === 0) return [];
  const answer = await member.command("admin", {
    rolesInfo: names.map(({ role, db }) => ({ role, db })),
    showPrivileges: true,
    showAuthenticationRestrictions: true,
  });
  return list(answer["roles"]).map((each) => ({
    ...roleName(each),
    privileges: list(each["privileges"]),
    roles: list(each["roles"]).map(roleName),
    authenticationRestrictions: list(each["authenticationRestrictions"]),
  }));
}
