// Users and roles: what has to be made, changed or dropped so that they are as the spec has them. Only what the operator made is dropped:
// users carry a mark, and the names of roles are kept with the operator's own user.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@kubewright/api";
import type { RoleInfo, RoleName, UserInfo } from "../client/commands.js";
import type { Document } from "../client/mongo-member.js";
import { isOfPassword, type Mechanism, type ScramCredential } from "../client/scram.js";
import { operatorUser } from "./names.js";
import type { Inside, Observed, Wanted, WantedRole, WantedUser } from "./observed.js";
import type { Step } from "./step.js";

/** On users that the operator has made. */
export const mark = { managedBy: "mongodb-operator" } as const;

export const isMarked = ({ customData }: UserInfo): boolean => isMarkedDocument(customData);

/** The mark, in what a user was given beside its roles. */
export const isMarkedDocument = (customData: unknown): boolean =>
  isObject(customData) && customData["managedBy"] === mark.managedBy;

/** On the operator's users of $external, whose names are those of its certificates. */
export const operatorMark = { ...mark, isOperator: true } as const;

/** On users of $external that the operator's agents log in as. */
export const agentMark = { ...mark, isAgent: true } as const;

type Named = Pick<UserInfo, "user" | "db">;

const isSame = (a: Named, b: Named): boolean => a.user === b.user && a.db === b.db;

export const isOperator = ({ user, db, customData }: Named & Partial<UserInfo>): boolean =>
  (user === operatorUser && db === "admin") || customData?.["isOperator"] === true;

/** The roles that the operator has made, by what its own users remember. */
export function rememberedRoles(users: readonly UserInfo[]): readonly RoleName[] {
  const kept = users.filter(isOperator).flatMap(({ customData }) => customData["roles"] ?? []);
  const roles = kept.flatMap((each) => {
    const { role, db } = each as Document;
    return typeof role === "string" && typeof db === "string" ? [{ role, db }] : [];
  });
  return [...new Map(roles.map((role) => [`${role.db}.${role.role}`, role])).values()];
}

/** The next change; undefined when all is as wanted, or waits for a password. */
export function accountStep({ wanted, operators, primary }: Observed, inside: Inside): Step | undefined {
  const missing = operators.some((operator) => !inside.users.some((user) => isSame(user, operator)));
  if (primary !== undefined && missing) return { kind: "create-operator-user", member: primary };
  return (
    roleStep(wanted.roles, inside.roles) ??
    first(wanted.users, (user) => userStep(user, inside.users)) ??
    surplusUser(wanted, operators, inside.users) ??
    surplusRole(wanted, inside)
  );
}

function first<T>(items: readonly T[], find: (item: T) => Step | undefined): Step | undefined {
  for (const item of items) {
    const found = find(item);
    if (found) return found;
  }
  return undefined;
}

const sameName = (a: RoleName, b: RoleName): boolean => a.role === b.role && a.db === b.db;

function roleStep(wanted: readonly WantedRole[], present: readonly RoleInfo[]): Step | undefined {
  return first(wanted, (role) => {
    const known = present.find((each) => sameName(each, role));
    if (!known) return { kind: "create-role", role };
    return isSameRole(role, known) ? undefined : { kind: "update-role", role };
  });
}

/** Lists have no order in MongoDB. */
const unordered = (values: readonly unknown[]): readonly string[] =>
  values.map((value) => JSON.stringify(ordered(value))).toSorted();

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, ordered(inner)]),
  );
}

const withSortedActions = (privilege: Document): Document => ({
  ...privilege,
  actions: [...((privilege["actions"] ?? []) as readonly string[])].toSorted(),
});

const isSameRole = (a: WantedRole, b: RoleInfo): boolean =>
  isDeepStrictEqual(
    unordered(a.privileges.map(withSortedActions)),
    unordered(b.privileges.map(withSortedActions)),
  ) &&
  isDeepStrictEqual(unordered(a.roles), unordered(b.roles)) &&
  isDeepStrictEqual(unordered(a.authenticationRestrictions), unordered(b.authenticationRestrictions.flat()));

function userStep(user: WantedUser, present: readonly UserInfo[]): Step | undefined {
  const known = present.find((each) => each.user === user.name && each.db === user.db);
  const hasPassword = user.password !== undefined || user.db === "$external";
  if (!known) return hasPassword ? { kind: "create-user", user } : undefined;
  if (!isDeepStrictEqual(unordered(user.roles), unordered(known.roles)) || !isMarked(known))
    return { kind: "update-user", user, what: "roles" };
  if (user.password === undefined || user.db === "$external") return undefined;
  const mechanisms = Object.keys(known.credentials).toSorted();
  if (!isDeepStrictEqual(mechanisms, [...user.mechanisms].toSorted()))
    return { kind: "update-user", user, what: "mechanisms" };
  return hasItsPassword(user, user.password, known)
    ? undefined
    : { kind: "update-user", user, what: "password" };
}

/** Answers that took long to work out: the hash of a password is meant to. Bounded, and dropped with the process. */
const known = new WeakMap<ScramCredential, { readonly password: string; readonly isIt: boolean }>();

function hasItsPassword({ name }: WantedUser, password: string, { credentials }: UserInfo): boolean {
  return (Object.entries(credentials) as [Mechanism, ScramCredential][]).every(([mechanism, stored]) => {
    const before = known.get(stored);
    if (before?.password === password) return before.isIt;
    const isIt = isOfPassword(mechanism, name, password, stored);
    known.set(stored, { password, isIt });
    return isIt;
  });
}

/** The operator's user of admin stays beside the one it logs in as; those of certificates that it has no more go. */
function surplusUser(
  { users }: Wanted,
  operators: readonly Named[],
  present: readonly UserInfo[],
): Step | undefined {
  const surplus = present.find(
    (each) =>
      isMarked(each) &&
      !operators.some((operator) => isSame(each, operator)) &&
      !(isOperator(each) && each.db === "admin") &&
      !users.some(({ name, db }) => name === each.user && db === each.db),
  );
  return surplus && { kind: "drop-user", user: surplus.user, db: surplus.db };
}

function surplusRole({ roles }: Wanted, { users }: Inside): Step | undefined {
  const surplus = rememberedRoles(users).find((each) => !roles.some((role) => sameName(role, each)));
  return surplus && { kind: "drop-role", ...surplus };
}
