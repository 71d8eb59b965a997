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
  | { readonly kind: "insert"; readonly namespace: string; readonly documents: readonly Document[] }
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

export const userKey = (db: string, user: string): string => `${db}.${user}`;
export const idKey = (id: unknown): string => BSON.EJSON.stringify({ id });

export interface Collection {
  readonly documents: Map<string, Document>;
  readonly indexes: Map<string, Document>;
}

/** The data of one member: what its log has made of nothing. */
export class ModelData {
  readonly users = new Map<string, StoredUser>();
  readonly roles = new Map<string, StoredRole>();
  readonly collections = new Map<string, Collection>();
  compatibility = "";

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
      case "insert": {
        const { documents } = this.collection(operation.namespace);
        for (const document of operation.documents) documents.set(idKey(document["_id"]), document);
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

  collection(namespace: string): Collection {
    const known = this.collections.get(namespace);
    if (known) return known;
    const made = { documents: new Map<string, Document>(), indexes: new Map<string, Document>() };
    this.collections.set(namespace, made);
    return made;
  }

  clear(): void {
    this.users.clear();
    this.roles.clear();
    this.collections.clear();
    this.compatibility = "";
  }
}
