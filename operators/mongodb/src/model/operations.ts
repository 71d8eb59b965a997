// What the model's members replicate: a log of operations, and the data they make. It is a model of mongod, not mongod.
import { BSON } from "mongodb";
import type { Document } from "../client/mongo-member.js";
import type { Mechanism, ScramCredential } from "../client/scram.js";

export interface RoleName {
  readonly role: string;
  readonly db: string;
}

export interface StoredUser {
  readonly user: string;
  readonly db: string;
  readonly roles: readonly RoleName[];
  readonly credentials: Readonly<Partial<Record<Mechanism, ScramCredential>>>;
  readonly customData?: Document | undefined;
}

export interface StoredRole {
  readonly role: string;
  readonly db: string;
  readonly privileges: readonly Document[];
  readonly roles: readonly RoleName[];
  readonly authenticationRestrictions?: readonly Document[] | undefined;
}

export type Operation =
  | { readonly kind: "noop" }
  | { readonly kind: "user"; readonly key: string; readonly user: StoredUser | null }
  | { readonly kind: "role"; readonly key: string; readonly role: StoredRole | null }
  | { readonly kind: "compatibility"; readonly version: string }
  | { readonly kind: "create"; readonly namespace: string; readonly options: Document }
  | { readonly kind: "insert"; readonly namespace: string; readonly documents: BSON.Binary }
  | { readonly kind: "write-concern"; readonly concern: Document }
  | { readonly kind: "delete"; readonly namespace: string; readonly ids: readonly unknown[] }
  | { readonly kind: "index"; readonly namespace: string; readonly index: Document }
  | { readonly kind: "drop"; readonly namespace: string };

export interface LogEntry {
  readonly index: number;
  readonly term: number;
  /** When the primary wrote it, in milliseconds since 1970. */
  readonly at: number;
  readonly operation: Operation;
}

/** The time of an entry, as MongoDB's log has it. */
export const timestampOf = ({ at, index }: Pick<LogEntry, "at" | "index">): BSON.Timestamp =>
  new BSON.Timestamp({ t: Math.floor(at / 1_000), i: index });

export const userKey = (db: string, user: string): string => `${db}.${user}`;
export const idKey = (id: unknown): string => BSON.EJSON.stringify({ id });

/** Documents as bytes, in which every value keeps its type on the way from member to member. */
export const packed = (documents: readonly Document[]): BSON.Binary =>
  new BSON.Binary(BSON.serialize({ documents }, { ignoreUndefined: false }));

/** Numbers stay what they are: an integer, a double, a long. */
export const asStored = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
};

const unpacked = ({ buffer, position }: BSON.Binary): readonly Document[] =>
  BSON.deserialize(buffer.subarray(0, position), asStored)["documents"];

export interface Collection {
  readonly documents: Map<string, Document>;
  readonly indexes: Map<string, Document>;
  readonly options: Document;
  /** The how manieth collection of its member it is: another one of the same name has another number. */
  readonly number: number;
}

/** The data of one member: what its log has made of nothing. */
export class ModelData {
  readonly users = new Map<string, StoredUser>();
  readonly roles = new Map<string, StoredRole>();
  readonly collections = new Map<string, Collection>();
  compatibility = "";
  #made = 0;
  /** The one that was set for all; undefined while none was. */
  writeConcern: Document | undefined;

  apply(operation: Operation): void {
    switch (operation.kind) {
      case "noop":
        return;
      case "user":
        if (operation.user) this.users.set(operation.key, operation.user);
        else this.users.delete(operation.key);
        return;
      case "role":
        if (operation.role) this.roles.set(operation.key, operation.role);
        else this.roles.delete(operation.key);
        return;
      case "compatibility":
        this.compatibility = operation.version;
        return;
      case "create":
        this.collection(operation.namespace, operation.options);
        return;
      case "write-concern":
        this.writeConcern = operation.concern;
        return;
      case "insert": {
        const { documents } = this.collection(operation.namespace);
        for (const document of unpacked(operation.documents)) documents.set(idKey(document["_id"]), document);
        return;
      }
      case "delete":
        for (const id of operation.ids)
          this.collections.get(operation.namespace)?.documents.delete(idKey(id));
        return;
      case "index":
        this.collection(operation.namespace).indexes.set(String(operation.index["name"]), operation.index);
        return;
      case "drop":
        this.collections.delete(operation.namespace);
    }
  }

  collection(namespace: string, options: Document = {}): Collection {
    const known = this.collections.get(namespace);
    if (known) return known;
    this.#made += 1;
    const made = {
      documents: new Map<string, Document>(),
      indexes: new Map<string, Document>(),
      options,
      number: this.#made,
    };
    this.collections.set(namespace, made);
    return made;
  }

  clear(): void {
    this.users.clear();
    this.roles.clear();
    this.collections.clear();
    this.compatibility = "";
    this.#made = 0;
    this.writeConcern = undefined;
  }
}
