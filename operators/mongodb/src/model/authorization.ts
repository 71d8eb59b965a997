// Who may run which command in the model: MongoDB's built-in roles as far as an operator and its users need them, roles that were made,
// and the localhost exception, which holds for connections from inside the pod until the first user is there.
import type { Document } from "../client/mongo-member.js";
import type { ModelData, RoleName, StoredUser } from "./operations.js";

/** Sorts of commands that one privilege covers. */
export type Sort =
  | "open"
  | "look"
  | "status"
  | "replication"
  | "initiate"
  | "users"
  | "first-user"
  | "read"
  | "write"
  | "compatibility"
  | "internal";

const everything: readonly Sort[] = [
  "look",
  "status",
  "replication",
  "initiate",
  "users",
  "first-user",
  "read",
  "write",
  "compatibility",
];
const cluster: readonly Sort[] = ["look", "status", "replication", "initiate", "compatibility"];
const accounts: readonly Sort[] = ["users", "first-user"];

/** Roles that hold for every database; they are of admin. */
const ofAdmin: Readonly<Record<string, readonly Sort[]>> = {
  root: everything,
  clusterAdmin: cluster,
  clusterManager: cluster,
  clusterMonitor: ["look", "status"],
  userAdminAnyDatabase: accounts,
  readWriteAnyDatabase: ["read", "write"],
  readAnyDatabase: ["read"],
  backup: ["read", "status"],
  restore: ["write"],
};

/** Roles that every database has for itself. */
const ofAny: Readonly<Record<string, readonly Sort[]>> = {
  read: ["read"],
  readWrite: ["read", "write"],
  dbOwner: ["read", "write", "users", "first-user"],
  userAdmin: accounts,
  dbAdmin: ["read"],
};

export const isBuiltIn = ({ role, db }: RoleName): boolean =>
  role in ofAny || (db === "admin" && role in ofAdmin);

export const roleExists = (data: ModelData, role: RoleName): boolean =>
  isBuiltIn(role) || data.roles.has(`${role.db}.${role.role}`);

export function mayRun(data: ModelData, users: readonly StoredUser[], sort: Sort, db: string): boolean {
  return users.some(({ roles }) => roles.some((role) => grants(data, role, sort, db)));
}

function grants(data: ModelData, role: RoleName, sort: Sort, db: string, depth = 0): boolean {
  if (role.db === "admin" && ofAdmin[role.role]?.includes(sort)) return true;
  if (role.db === db && ofAny[role.role]?.includes(sort)) return true;
  const made = data.roles.get(`${role.db}.${role.role}`);
  if (!made || depth > 8) return false;
  return (
    made.roles.some((inner) => grants(data, inner, sort, db, depth + 1)) ||
    made.privileges.some((privilege) => privilegeGrants(privilege, sort, db))
  );
}

const actions: Readonly<Partial<Record<Sort, string>>> = {
  read: "find",
  write: "insert",
  look: "replSetGetStatus",
  status: "replSetGetConfig",
  replication: "replSetConfigure",
  users: "createUser",
};

function privilegeGrants(privilege: Document, sort: Sort, db: string): boolean {
  const resource = (privilege["resource"] ?? {}) as Document;
  const given = (privilege["actions"] ?? []) as readonly string[];
  const action = actions[sort];
  if (action === undefined || !given.includes(action)) return false;
  return (
    resource["anyResource"] === true ||
    resource["cluster"] === true ||
    resource["db"] === "" ||
    resource["db"] === db
  );
}

/** What the localhost exception permits: to initiate, to look, and to make the first user. */
export function isExcepted(
  data: ModelData,
  sort: Sort,
  connection: { readonly isLoopback: boolean },
): boolean {
  if (!connection.isLoopback || data.users.size > 0 || data.roles.size > 0) return false;
  return sort === "look" || sort === "first-user" || sort === "replication" || sort === "initiate";
}

/** The member itself, or another that has the key file. */
export const system: StoredUser = { user: "__system", db: "local", roles: [], credentials: {} };
