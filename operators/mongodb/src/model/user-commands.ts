// Users and roles in the model.
import { randomBytes } from "node:crypto";
import type { Document } from "../client/mongo-member.js";
import { type Mechanism, mechanisms, type ScramCredential, scramCredential } from "../client/scram.js";
import { membershipOf } from "../client/subject-name.js";
import { roleExists } from "./authorization.js";
import { type Call, type CommandHandler, iterations, textOf } from "./command.js";
import { badValue, CommandError } from "./command-error.js";
import { type RoleName, type StoredRole, type StoredUser, userKey } from "./operations.js";

const asRole = (given: unknown, db: string): RoleName => {
  if (typeof given === "string") return { role: given, db };
  const { role, db: of } = given as Partial<RoleName>;
  return { role: textOf(role, "role"), db: textOf(of, "db") };
};

function rolesOf({ mongod, command, db }: Call): readonly RoleName[] | undefined {
  if (command["roles"] === undefined) return undefined;
  const roles = (command["roles"] as readonly unknown[]).map((role) => asRole(role, db));
  const unknown = roles.find((role) => !roleExists(mongod.data, role));
  if (unknown)
    throw new CommandError(31, "RoleNotFound", `Could not find role: ${unknown.role}@${unknown.db}`);
  return roles;
}

function credentialsOf({ command }: Call, user: string): StoredUser["credentials"] | undefined {
  const password = command["pwd"];
  if (password === undefined) return undefined;
  const chosen = (command["mechanisms"] as readonly Mechanism[] | undefined) ?? mechanisms;
  const unknown = chosen.find((mechanism) => !mechanisms.includes(mechanism));
  if (unknown) throw badValue(`Unknown auth mechanism '${unknown}'`);
  const made: Partial<Record<Mechanism, ScramCredential>> = {};
  for (const mechanism of chosen) {
    const salt = randomBytes(mechanism === "SCRAM-SHA-1" ? 16 : 28);
    made[mechanism] = scramCredential(mechanism, user, textOf(password, "pwd"), salt, iterations);
  }
  return made;
}

function stored(call: Call, name: string): StoredUser {
  const found = call.mongod.data.users.get(userKey(call.db, name));
  if (!found) throw new CommandError(11, "UserNotFound", `Could not find user "${name}" for db "${call.db}"`);
  return found;
}

/** Refuses the subject of members: a client with such a certificate is a member, and not a user. */
function checkNoMember({ mongod }: Call, subject: string): void {
  const [own] = mongod.identity?.chain ?? [];
  const mine = own ? membershipOf(own) : [];
  const parts = subject.split(/(?<!\\)[,+]/).filter((part) => /^(O|OU|DC)=/.test(part));
  if (mine.length > 0 && parts.toSorted().join("\n") === mine.join("\n"))
    throw badValue(
      "Cannot create an x.509 user with a subjectname that would be recognized as an internal cluster member",
    );
}

const createUser: CommandHandler = {
  sort: "first-user",
  onPrimary: true,
  async run(call) {
    const { mongod, db, command } = call;
    const user = textOf(command["createUser"], "createUser");
    const roles = rolesOf(call) ?? [];
    const credentials = credentialsOf(call, user);
    if (!credentials && db !== "$external")
      throw badValue(
        "Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db",
      );
    if (db === "$external") checkNoMember(call, user);
    const key = userKey(db, user);
    if (mongod.data.users.has(key))
      throw new CommandError(51003, "Location51003", `User "${user}@${db}" already exists`);
    const customData = command["customData"] as Document | undefined;
    const made: StoredUser = {
      user,
      db,
      roles,
      credentials: credentials ?? {},
      ...(customData ? { customData } : {}),
    };
    return mongod.write({ kind: "user", key, user: made }, command);
  },
};

const updateUser: CommandHandler = {
  sort: "users",
  onPrimary: true,
  async run(call) {
    const { mongod, db, command } = call;
    const name = textOf(command["updateUser"], "updateUser");
    const before = stored(call, name);
    const roles = rolesOf(call) ?? before.roles;
    const credentials = credentialsOf(call, name) ?? before.credentials;
    const customData = (command["customData"] as Document | undefined) ?? before.customData;
    const user = { ...before, roles, credentials, ...(customData ? { customData } : {}) };
    return mongod.write({ kind: "user", key: userKey(db, name), user }, command);
  },
};

const dropUser: CommandHandler = {
  sort: "users",
  onPrimary: true,
  async run(call) {
    const name = textOf(call.command["dropUser"], "dropUser");
    stored(call, name);
    return call.mongod.write({ kind: "user", key: userKey(call.db, name), user: null }, call.command);
  },
};

const usersInfo: CommandHandler = {
  sort: "users",
  run({ mongod, db, command }) {
    const asked = command["usersInfo"];
    const isAsked = ({ user, db: of }: StoredUser): boolean => {
      if (typeof asked === "string") return user === asked && of === db;
      if (asked === 1) return of === db;
      const { forAllDBs, user: name, db: from } = asked as Document;
      return forAllDBs === true || (user === name && of === from);
    };
    const users = [...mongod.data.users.values()].filter(isAsked).map((user) => ({
      _id: `${user.db}.${user.user}`,
      user: user.user,
      db: user.db,
      roles: user.roles,
      mechanisms: Object.keys(user.credentials),
      ...(user.customData ? { customData: user.customData } : {}),
      ...(command["showCredentials"] === true ? { credentials: user.credentials } : {}),
    }));
    return { users };
  },
};

function roleFrom(call: Call, role: string, before: StoredRole | undefined): StoredRole {
  const { command, db } = call;
  const restrictions = (command["authenticationRestrictions"] ?? before?.authenticationRestrictions) as
    | readonly Document[]
    | undefined;
  return {
    role,
    db,
    privileges: (command["privileges"] as readonly Document[] | undefined) ?? before?.privileges ?? [],
    roles: rolesOf(call) ?? before?.roles ?? [],
    ...(restrictions && restrictions.length > 0 ? { authenticationRestrictions: restrictions } : {}),
  };
}

const createRole: CommandHandler = {
  sort: "users",
  onPrimary: true,
  async run(call) {
    const { mongod, db, command } = call;
    const name = textOf(command["createRole"], "createRole");
    if (roleExists(mongod.data, { role: name, db }))
      throw new CommandError(51002, "Location51002", `Role "${name}@${db}" already exists`);
    return mongod.write(
      { kind: "role", key: `${db}.${name}`, role: roleFrom(call, name, undefined) },
      command,
    );
  },
};

function storedRole({ mongod, db }: Call, name: string): StoredRole {
  const found = mongod.data.roles.get(`${db}.${name}`);
  if (!found) throw new CommandError(31, "RoleNotFound", `Role "${name}@${db}" not found`);
  return found;
}

const updateRole: CommandHandler = {
  sort: "users",
  onPrimary: true,
  async run(call) {
    const name = textOf(call.command["updateRole"], "updateRole");
    const role = roleFrom(call, name, storedRole(call, name));
    return call.mongod.write({ kind: "role", key: `${call.db}.${name}`, role }, call.command);
  },
};

const dropRole: CommandHandler = {
  sort: "users",
  onPrimary: true,
  async run(call) {
    const name = textOf(call.command["dropRole"], "dropRole");
    storedRole(call, name);
    return call.mongod.write({ kind: "role", key: `${call.db}.${name}`, role: null }, call.command);
  },
};

const rolesInfo: CommandHandler = {
  sort: "users",
  run({ mongod, db, command }) {
    const asked = command["rolesInfo"];
    const names = (Array.isArray(asked) ? asked : asked === 1 ? [] : [asked]).map((role) => asRole(role, db));
    const roles = [...mongod.data.roles.values()].filter(({ role, db: of }) =>
      asked === 1 ? of === db : names.some((name) => name.role === role && name.db === of),
    );
    const isShown = command["showAuthenticationRestrictions"] === true;
    return {
      roles: roles.map(({ privileges, authenticationRestrictions = [], ...role }) => ({
        ...role,
        isBuiltin: false,
        ...(command["showPrivileges"] === true ? { privileges } : {}),
        ...(isShown ? { authenticationRestrictions } : {}),
      })),
    };
  },
};

export const userCommands: Readonly<Record<string, CommandHandler>> = {
  createUser,
  updateUser,
  dropUser,
  usersInfo,
  createRole,
  updateRole,
  dropRole,
  rolesInfo,
};
