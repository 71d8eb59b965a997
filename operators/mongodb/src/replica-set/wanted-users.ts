// The users and roles that a spec asks for.
import type { Secret } from "@kubewright/api";
import {
  defaultKeyOfPassword,
  defaultUserDatabase,
  type MongoDBCommunity,
} from "../api/v1/mongo-db-community.js";
import type { Mechanism } from "../client/scram.js";
import { exporterUser, operatorUser } from "./names.js";
import type { Objection } from "./objection.js";
import type { WantedRole, WantedUser } from "./observed.js";

/** What users of the spec are read beside. */
export interface KnownUsers {
  readonly secret: (name: string) => Secret | undefined;
  /** Users of the operator's own making beside those of the spec. */
  readonly ownUsers: readonly WantedUser[];
  /** The subject of the operator's certificate, where it logs in with one. */
  readonly operatorSubject: string | undefined;
}

/** A role of the spec in the words of MongoDB's commands. */
export const roleOf = ({
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

/** The mechanisms by which users with passwords log in. */
function mechanismsOf({ spec }: MongoDBCommunity): readonly Mechanism[] {
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

/** The users of the spec, without those whose names are the operator's own. */
export function usersOf(
  mongodb: MongoDBCommunity,
  { secret, operatorSubject, ownUsers }: KnownUsers,
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

function passwordIn(secret: Secret | undefined, key = defaultKeyOfPassword): string | undefined {
  const encoded = secret?.data?.[key];
  return encoded ? Buffer.from(encoded, "base64").toString("utf8") : undefined;
}
