// A built-in resource as its own file describes it; the generic registry does the rest.

import type { DraftObject, StoredObject } from "./objects.js";
import type { Strategy } from "./strategy.js";

/** Conversion between a served version and the stored one. */
export interface BuiltInConversion {
  fromStorage(objects: readonly StoredObject[]): readonly StoredObject[];
  toStorage(object: DraftObject): DraftObject;
}

/** A built-in resource: its strategy, and where it differs from the generic rules. */
export interface BuiltInKind {
  /** The plural, with the group: `deployments.apps`, `pods`. */
  readonly resource: string;
  readonly strategy?: Strategy | undefined;
  /** Whether a create may set the status. */
  readonly keepsStatusOnCreate?: boolean | undefined;
  /** The warning that every request for the resource is answered with. */
  readonly deprecation?: string | undefined;
  /** The group failures name, where it is another than its own. */
  readonly failuresOf?: string | undefined;
  /** Versions that can still be read, but are no longer served. */
  readonly formerVersions?: readonly string[] | undefined;
  /** Rules for `/status`. */
  readonly status?: Partial<Strategy> | undefined;
  /** Rules for other subresources that are the object itself (`ephemeralcontainers`). */
  readonly subresources?: Readonly<Record<string, Strategy>> | undefined;
  /** For kinds with `/scale`, whose replicas are at `.spec.replicas`: the label selector of the pods, as text. */
  scaleSelector?(object: StoredObject): string | undefined;
  /** By served version, where that is not the stored one. */
  readonly conversions?: Readonly<Record<string, BuiltInConversion>> | undefined;
  /**
   * The object in another version, for field managers that wrote in it; undefined where it cannot be had. Absent where all versions have
   * one shape.
   */
  toVersion?(object: DraftObject, apiVersion: string): DraftObject | undefined;
  /** The table it shares with another resource (`events` of two groups). */
  readonly storage?: string | undefined;
}
