// Writes the users and roles of a backup into a replica set.
import { majority } from "../client/commands.js";
import type { Document, MongoMember } from "../client/mongo-member.js";
import { isMarkedDocument, isOperator } from "../replica-set/accounts.js";
import { largestBatch } from "./collection-writer.js";
import { createCollection, dropCollection } from "./repeatable-commands.js";

/** Collections of admin from which users and roles are taken over, as mongorestore does it. */
const temporary = { users: "kubewright_restored_users", roles: "kubewright_restored_roles" } as const;

/**
 * Users and roles that are not there yet come back, with their passwords. Those that are there stay as they are: they are the spec's, or
 * somebody's who made them since. One that the operator had made comes back as one made by hand, so that it is not dropped where the spec
 * does not name it.
 */
export async function restoreAccounts(
  primary: MongoMember,
  users: readonly Document[],
  roles: readonly Document[],
): Promise<{ readonly users: number; readonly roles: number }> {
  const there = async (collection: string) => new Set((await idsOf(primary, collection)).map(String));
  const [knownUsers, knownRoles] = [await there("system.users"), await there("system.roles")];
  const newUsers = users.filter(
    (user) => !knownUsers.has(String(user["_id"])) && !isOperator(user as { user: string; db: string }),
  );
  const newRoles = roles.filter((role) => !knownRoles.has(String(role["_id"])));
  if (newUsers.length === 0 && newRoles.length === 0) return { users: 0, roles: 0 };
  await fill(primary, temporary.roles, newRoles);
  await fill(
    primary,
    temporary.users,
    newUsers.map(({ customData, ...user }) =>
      isMarkedDocument(customData) || customData === undefined ? user : { ...user, customData },
    ),
  );
  await primary.command("admin", {
    _mergeAuthzCollections: 1,
    tempUsersCollection: `admin.${temporary.users}`,
    tempRolesCollection: `admin.${temporary.roles}`,
    db: "",
    drop: false,
    writeConcern: majority,
  });
  await dropCollection(primary, "admin", temporary.users);
  await dropCollection(primary, "admin", temporary.roles);
  return { users: newUsers.length, roles: newRoles.length };
}

async function idsOf(primary: MongoMember, collection: string): Promise<readonly unknown[]> {
  const { cursor } = await primary.command("admin", {
    find: collection,
    projection: { _id: 1 },
    batchSize: 1_000_000,
    singleBatch: true,
  });
  return (cursor as { firstBatch: readonly Document[] }).firstBatch.map(({ _id }) => _id);
}

async function fill(primary: MongoMember, collection: string, documents: readonly Document[]): Promise<void> {
  await dropCollection(primary, "admin", collection);
  await createCollection(primary, "admin", collection);
  for (let at = 0; at < documents.length; at += largestBatch.documents)
    await primary.command("admin", {
      insert: collection,
      documents: documents.slice(at, at + largestBatch.documents),
      ordered: false,
      writeConcern: majority,
    });
}
