// Options and results of server-side apply.
import type { ManagedFieldsEntry, TypeInfo } from "@kubewright/api";

/** Any JSON object; never changed by the engines of this folder, and results share parts with it. */
export type AnyObject = Readonly<Record<string, unknown>>;

/** The object of another API version, with the type info of that version. */
export interface VersionedObject {
  readonly object: AnyObject;
  readonly typeInfo: TypeInfo;
}

/**
 * Converts an object to an API version some manager wrote in; undefined when that version is no longer served (the
 * manager is then dropped). It must be synchronous and deterministic: a host whose conversion is asynchronous
 * throws from it, awaits, remembers the answer and calls the engine again, which has no state.
 */
export type ConvertVersion = (object: AnyObject, apiVersion: string) => VersionedObject | undefined;

interface WriteOptions {
  /** The stored object in the version of the request; undefined when it is being created. */
  readonly live: AnyObject | undefined;
  /** The type of the object in the version of the request. */
  readonly typeInfo: TypeInfo;
  readonly manager: string;
  /** Version of the request, `apps/v1`. */
  readonly apiVersion: string;
  /** RFC 3339, in whole seconds: `2026-01-02T03:04:05Z`. */
  readonly time: string;
  readonly subresource?: string | undefined;
  /** Dotted paths this endpoint never changes and which it does not track: `status`, `metadata.labels`. */
  readonly resetFields?: readonly string[] | undefined;
  /** Absent: every manager's version has the same shape. */
  readonly convert?: ConvertVersion | undefined;
}

/** A create, update or patch that is about to be stored. */
export interface TrackUpdateOptions extends WriteOptions {
  /**
   * The new object with the managedFields the client sent, if any: decoded, patched and defaulted, but before admission
   * and the rules of its kind, whose changes have no manager.
   */
  readonly updated: AnyObject;
}

/** An apply patch. */
export interface ApplyOptions extends WriteOptions {
  readonly applied: AnyObject;
  readonly kind: string;
  readonly force: boolean;
}

/** The result of a server-side apply. */
export interface ApplyResult {
  /** The merged object with its managedFields. It is `live` itself when nothing changed. Not yet defaulted. */
  readonly object: AnyObject;
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
}
