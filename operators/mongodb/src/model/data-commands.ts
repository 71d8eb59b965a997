// Documents in the model: enough to write, read, list and copy collections.
import { BSON } from "mongodb";
import type { Document } from "../client/mongo-member.js";
import { type Call, type CommandHandler, textOf } from "./command.js";
import { CommandError } from "./command-error.js";
import { idKey } from "./operations.js";

const namespaceOf = ({ db, command, name }: Call): string => `${db}.${textOf(command[name], name)}`;

const equal = (a: unknown, b: unknown): boolean => idKey(a) === idKey(b);

/** Fields that are equal; `$gt` for paging. */
function matches(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    if (wanted !== null && typeof wanted === "object" && "$gt" in wanted)
      return idKey(document[name]) > idKey(wanted.$gt);
    return equal(document[name], wanted);
  });
}

function checkReadable({ mongod, command }: Call): void {
  const { state, isPrimary } = mongod.replication;
  if (isPrimary) return;
  const mode = ((command["$readPreference"] ?? {}) as Document)["mode"];
  if (state !== "SECONDARY" || mode === undefined || mode === "primary")
    throw new CommandError(13435, "NotPrimaryNoSecondaryOk", "not primary and secondaryOk=false");
}

const insert: CommandHandler = {
  sort: "write",
  onPrimary: true,
  async run(call) {
    const { mongod, command } = call;
    const namespace = namespaceOf(call);
    const known = mongod.data.collections.get(namespace)?.documents;
    const writeErrors: Document[] = [];
    const documents = (command["documents"] as readonly Document[]).filter((document, index) => {
      if (!known?.has(idKey(document["_id"]))) return true;
      const errmsg = `E11000 duplicate key error collection: ${namespace} index: _id_`;
      writeErrors.push({ index, code: 11000, errmsg });
      return false;
    });
    const answer =
      documents.length > 0 ? await mongod.write({ kind: "insert", namespace, documents }, command) : {};
    return { n: documents.length, ...(writeErrors.length > 0 ? { writeErrors } : {}), ...answer };
  },
};

const find: CommandHandler = {
  sort: "read",
  run(call) {
    checkReadable(call);
    const { mongod, command } = call;
    const namespace = namespaceOf(call);
    const filter = (command["filter"] ?? {}) as Document;
    const all = [...(mongod.data.collections.get(namespace)?.documents.values() ?? [])];
    const found = all.filter((document) => matches(document, filter));
    if (command["sort"] !== undefined) found.sort((a, b) => (idKey(a["_id"]) < idKey(b["_id"]) ? -1 : 1));
    const limit = Number(command["limit"] ?? 0) || found.length;
    return { cursor: { id: BSON.Long.ZERO, ns: namespace, firstBatch: found.slice(0, limit) } };
  },
};

const remove: CommandHandler = {
  sort: "write",
  onPrimary: true,
  async run(call) {
    const { mongod, command } = call;
    const namespace = namespaceOf(call);
    const all = [...(mongod.data.collections.get(namespace)?.documents.values() ?? [])];
    const ids = (command["deletes"] as readonly Document[]).flatMap(({ q = {}, limit = 0 }) => {
      const found = all
        .filter((document) => matches(document, q as Document))
        .map((document) => document["_id"]);
      return limit === 1 ? found.slice(0, 1) : found;
    });
    const answer = await mongod.write({ kind: "delete", namespace, ids }, command);
    return { n: ids.length, ...answer };
  },
};

const cursor = (namespace: string, firstBatch: readonly Document[]): Document => ({
  cursor: { id: BSON.Long.ZERO, ns: namespace, firstBatch },
});

const listCollections: CommandHandler = {
  sort: "read",
  run(call) {
    checkReadable(call);
    const { mongod, db } = call;
    const own = [...mongod.data.collections.keys()].filter((namespace) => namespace.startsWith(`${db}.`));
    const batch = own.map((namespace) => ({
      name: namespace.slice(db.length + 1),
      type: "collection",
      options: {},
    }));
    return cursor(`${db}.$cmd.listCollections`, batch);
  },
};

const listDatabases: CommandHandler = {
  sort: "read",
  run({ mongod }) {
    const names = new Set(
      [...mongod.data.collections.keys()].map((namespace) => namespace.split(".")[0] ?? ""),
    );
    return {
      databases: [...names].map((name) => ({ name, sizeOnDisk: 4096, empty: false })),
      totalSize: 4096,
    };
  },
};

const listIndexes: CommandHandler = {
  sort: "read",
  run(call) {
    const namespace = namespaceOf(call);
    const found = call.mongod.data.collections.get(namespace);
    if (!found) throw new CommandError(26, "NamespaceNotFound", `ns does not exist: ${namespace}`);
    const own = { v: 2, key: { _id: 1 }, name: "_id_" };
    return cursor(`${call.db}.$cmd.listIndexes`, [own, ...found.indexes.values()]);
  },
};

const createIndexes: CommandHandler = {
  sort: "write",
  onPrimary: true,
  async run(call) {
    const namespace = namespaceOf(call);
    for (const index of call.command["indexes"] as readonly Document[])
      await call.mongod.write({ kind: "index", namespace, index: { v: 2, ...index } }, call.command);
    return {};
  },
};

const drop: CommandHandler = {
  sort: "write",
  onPrimary: true,
  run: (call) => call.mongod.write({ kind: "drop", namespace: namespaceOf(call) }, call.command),
};

const count: CommandHandler = {
  sort: "read",
  run(call) {
    checkReadable(call);
    return { n: call.mongod.data.collections.get(namespaceOf(call))?.documents.size ?? 0 };
  },
};

export const dataCommands: Readonly<Record<string, CommandHandler>> = {
  insert,
  find,
  delete: remove,
  listCollections,
  listDatabases,
  listIndexes,
  createIndexes,
  drop,
  count,
};
