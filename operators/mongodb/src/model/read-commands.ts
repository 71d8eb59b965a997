// Queries and lists in the model, and the cursors that give their answers.
import { createHash } from "node:crypto";
import { BSON } from "mongodb";
import type { Document } from "../client/mongo-member.js";
import { type Call, type CommandHandler, textOf } from "./command.js";
import { CommandError } from "./command-error.js";
import { isMatch } from "./matching.js";
import { type Collection, idKey, type ModelData } from "./operations.js";
import { dataFor } from "./read-concern.js";

export const namespaceOf = ({ db, command, name }: Call): string => `${db}.${textOf(command[name], name)}`;

function checkReadable({ mongod, command }: Call): void {
  const { state, isPrimary } = mongod.replication;
  if (isPrimary) return;
  const mode = ((command["$readPreference"] ?? {}) as Document)["mode"];
  if (state !== "SECONDARY" || mode === undefined || mode === "primary")
    throw new CommandError(13435, "NotPrimaryNoSecondaryOk", "not primary and secondaryOk=false");
}

/** Users and roles are documents of admin, too. */
function documentsOf(data: ModelData, namespace: string): readonly Document[] {
  if (namespace === "admin.system.users")
    return [...data.users].map(([_id, user]) => ({ _id, ...user }) as Document);
  if (namespace === "admin.system.roles")
    return [...data.roles].map(([_id, role]) => ({ _id, ...role }) as Document);
  return [...(data.collections.get(namespace)?.documents.values() ?? [])];
}

const find: CommandHandler = {
  sort: "read",
  async run(call) {
    checkReadable(call);
    const { mongod, command } = call;
    const namespace = namespaceOf(call);
    const filter = (command["filter"] ?? {}) as Document;
    const found = documentsOf(await dataFor(call), namespace).filter((document) => isMatch(document, filter));
    if (command["sort"] !== undefined) found.sort((a, b) => (idKey(a["_id"]) < idKey(b["_id"]) ? -1 : 1));
    const limit = Number(command["limit"] ?? 0) || found.length;
    return mongod.cursors.first(namespace, found.slice(0, limit), command);
  },
};

const getMore: CommandHandler = {
  sort: "read",
  run: ({ mongod, command }) => mongod.cursors.next(String(command["getMore"]), command),
};

const killCursors: CommandHandler = {
  sort: "open",
  run: ({ mongod, command }) =>
    mongod.cursors.kill((command["cursors"] as readonly unknown[]).map((id) => String(id))),
};

/** The same on every member, and another for another collection of the same name. */
function uuidOf(namespace: string, { number }: Collection): BSON.UUID {
  const bytes = createHash("sha256").update(`${namespace} ${number}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return new BSON.UUID(bytes);
}

const isView = ({ options }: Collection): boolean => options["viewOn"] !== undefined;

const listCollections: CommandHandler = {
  sort: "read",
  run(call) {
    checkReadable(call);
    const { mongod, db, command } = call;
    const own = [...mongod.data.collections].filter(([namespace]) => namespace.startsWith(`${db}.`));
    const batch = own.map(([namespace, collection]) => ({
      name: namespace.slice(db.length + 1),
      type: isView(collection) ? "view" : "collection",
      options: collection.options,
      info: {
        readOnly: isView(collection),
        ...(isView(collection) ? {} : { uuid: uuidOf(namespace, collection) }),
      },
      ...(isView(collection) ? {} : { idIndex: { v: 2, key: { _id: 1 }, name: "_id_" } }),
    }));
    const filter = (command["filter"] ?? {}) as Document;
    return mongod.cursors.first(
      `${db}.$cmd.listCollections`,
      batch.filter((each) => isMatch(each, filter)),
      command,
    );
  },
};

const listDatabases: CommandHandler = {
  sort: "read",
  run({ mongod }) {
    const names = new Set([
      ...[...mongod.data.collections.keys()].map((namespace) => namespace.split(".")[0] ?? ""),
      ...(mongod.data.users.size > 0 ? ["admin"] : []),
      "local",
    ]);
    return {
      databases: [...names].toSorted().map((name) => ({ name, sizeOnDisk: 4096, empty: false })),
      totalSize: 4096,
    };
  },
};

const listIndexes: CommandHandler = {
  sort: "read",
  run(call) {
    checkReadable(call);
    const namespace = namespaceOf(call);
    const found = call.mongod.data.collections.get(namespace);
    if (!found) throw new CommandError(26, "NamespaceNotFound", `ns does not exist: ${namespace}`);
    if (isView(found))
      throw new CommandError(166, "CommandNotSupportedOnView", `Namespace ${namespace} is a view`);
    const own = { v: 2, key: { _id: 1 }, name: "_id_" };
    return call.mongod.cursors.first(
      `${call.db}.$cmd.listIndexes.${call.command["listIndexes"]}`,
      [own, ...found.indexes.values()],
      call.command,
    );
  },
};

const count: CommandHandler = {
  sort: "read",
  async run(call) {
    checkReadable(call);
    return { n: documentsOf(await dataFor(call), namespaceOf(call)).length };
  },
};

export const readCommands: Readonly<Record<string, CommandHandler>> = {
  find,
  getMore,
  killCursors,
  listCollections,
  listDatabases,
  listIndexes,
  count,
};
