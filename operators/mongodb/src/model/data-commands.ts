// Writes of documents, collections and indexes in the model.
import type { Document } from "../client/mongo-member.js";
import { compareVersions } from "../release/series.js";
import { type Call, type CommandHandler, textOf } from "./command.js";
import { badValue, CommandError } from "./command-error.js";
import { isMatch } from "./matching.js";
import { idKey, packed, type StoredRole, type StoredUser, userKey } from "./operations.js";
import { namespaceOf } from "./read-commands.js";

const insert: CommandHandler = {
  sort: "write",
  onPrimary: true,
  async run(call) {
    const { mongod, command } = call;
    const namespace = namespaceOf(call);
    const known = mongod.data.collections.get(namespace);
    if (known?.options["viewOn"] !== undefined)
      throw new CommandError(166, "CommandNotSupportedOnView", `Namespace ${namespace} is a view`);
    const { documents, writeErrors } = accepted(call, namespace);
    const answer =
      documents.length > 0
        ? await mongod.write({ kind: "insert", namespace, documents: packed(documents) }, command)
        : {};
    return { n: documents.length, ...(writeErrors.length > 0 ? { writeErrors } : {}), ...answer };
  },
};

/** Documents whose id is new; in order, the first that is not ends the command. */
function accepted({ mongod, command }: Call, namespace: string) {
  const ids = new Set(mongod.data.collections.get(namespace)?.documents.keys());
  const documents: Document[] = [];
  const writeErrors: Document[] = [];
  for (const [index, document] of (command["documents"] as readonly Document[]).entries()) {
    const id = idKey(document["_id"]);
    if (!ids.has(id)) {
      ids.add(id);
      documents.push(document);
      continue;
    }
    writeErrors.push({
      index,
      code: 11000,
      keyPattern: { _id: 1 },
      errmsg: `E11000 duplicate key error collection: ${namespace} index: _id_ dup key: { _id: ${id} }`,
    });
    if (command["ordered"] !== false) break;
  }
  return { documents, writeErrors };
}

const remove: CommandHandler = {
  sort: "write",
  onPrimary: true,
  async run(call) {
    const { mongod, command } = call;
    const namespace = namespaceOf(call);
    const all = [...(mongod.data.collections.get(namespace)?.documents.values() ?? [])];
    const ids = (command["deletes"] as readonly Document[]).flatMap(({ q = {}, limit = 0 }) => {
      const found = all
        .filter((document) => isMatch(document, q as Document))
        .map((document) => document["_id"]);
      return limit === 1 ? found.slice(0, 1) : found;
    });
    const answer = await mongod.write({ kind: "delete", namespace, ids }, command);
    return { n: ids.length, ...answer };
  },
};

/** Fields of the command that are no options of the collection. */
const generic = new Set(["create", "writeConcern", "comment", "lsid", "maxTimeMS"]);

const create: CommandHandler = {
  sort: "write",
  onPrimary: true,
  async run(call) {
    const namespace = namespaceOf(call);
    const given = Object.entries(call.command).filter(
      ([name]) => !generic.has(name) && !name.startsWith("$"),
    );
    const options = Object.fromEntries(given);
    if (options["capped"] === true && options["size"] === undefined)
      throw new CommandError(72, "InvalidOptions", "the 'size' field is required when 'capped' is true");
    if (call.mongod.data.collections.has(namespace))
      throw new CommandError(48, "NamespaceExists", `Collection ${namespace} already exists.`);
    return call.mongod.write({ kind: "create", namespace, options }, call.command);
  },
};

const createIndexes: CommandHandler = {
  sort: "write",
  onPrimary: true,
  async run(call) {
    const namespace = namespaceOf(call);
    for (const index of call.command["indexes"] as readonly Document[]) {
      if (typeof index["name"] !== "string" || index["key"] === undefined)
        throw badValue("an index needs a name and a key");
      const { ns: _, ...own } = index;
      const known = call.mongod.data.collections.get(namespace)?.indexes.get(index["name"]);
      if (known && idKey(known["key"]) !== idKey(index["key"]))
        throw new CommandError(86, "IndexKeySpecsConflict", `index ${index["name"]} has another key`);
      if (!known)
        await call.mongod.write({ kind: "index", namespace, index: { v: 2, ...own } }, call.command);
    }
    return {};
  },
};

const drop: CommandHandler = {
  sort: "write",
  onPrimary: true,
  async run(call) {
    const namespace = namespaceOf(call);
    const isThere = call.mongod.data.collections.has(namespace);
    // From 7.0 on a collection that is not there counts as dropped.
    if (!isThere && compareVersions(call.mongod.version, "7.0.0") < 0)
      throw new CommandError(26, "NamespaceNotFound", "ns not found");
    return isThere ? call.mongod.write({ kind: "drop", namespace }, call.command) : {};
  },
};

/** As mongorestore brings users and roles back: from collections that look like those of admin. */
const mergeAccounts: CommandHandler = {
  sort: "users",
  onPrimary: true,
  async run({ mongod, command }) {
    if (command["drop"] === true) throw badValue("the model only adds users and roles");
    const from = (field: string): readonly Document[] => {
      if (command[field] === undefined) return [];
      const namespace = textOf(command[field], field);
      return [...(mongod.data.collections.get(namespace)?.documents.values() ?? [])];
    };
    for (const { _id, ...role } of from("tempRolesCollection"))
      await mongod.write({ kind: "role", key: String(_id), role: role as unknown as StoredRole }, command);
    for (const { _id, ...document } of from("tempUsersCollection")) {
      const user = withPlainNumbers(document) as unknown as StoredUser;
      await mongod.write({ kind: "user", key: userKey(user.db, user.user), user }, command);
    }
    return {};
  },
};

/** Stored documents keep the types of their numbers; credentials of the model have plain ones. */
function withPlainNumbers(user: Document): Document {
  const credentials = Object.entries((user["credentials"] ?? {}) as Readonly<Record<string, Document>>).map(
    ([mechanism, credential]) => [
      mechanism,
      { ...credential, iterationCount: Number(credential["iterationCount"]) },
    ],
  );
  return { ...user, credentials: Object.fromEntries(credentials) };
}

export const dataCommands: Readonly<Record<string, CommandHandler>> = {
  insert,
  delete: remove,
  create,
  createIndexes,
  drop,
  _mergeAuthzCollections: mergeAccounts,
};
