// The rules of managed fields: which managers lose a field when another one changes it, and when that is a conflict.
import type { TypeInfo } from "@kubewright/api";
import type { AnyObject, ConvertVersion } from "./apply-types.js";
import { type Comparison, compare, excluding } from "./compare.js";
import type { FieldSet } from "./field-set.js";
import { reconcileWithType } from "./field-set-type.js";
import { type FieldManager, type FieldManagers, withFields } from "./managed-fields.js";
import type { FieldPath } from "./path-element.js";

/** An object with its type, in one API version. */
export interface TypedObject {
  readonly object: AnyObject;
  readonly typeInfo: TypeInfo;
  readonly apiVersion: string;
}

/** The rules of an update besides the objects. */
export interface UpdateRules {
  /** Fields this endpoint ignores. */
  readonly ignored: FieldSet;
  readonly convert: ConvertVersion | undefined;
}

/** A field that another manager has and would lose. */
export interface Conflict {
  readonly manager: FieldManager;
  readonly path: FieldPath;
}

/** An apply would change fields of other managers. */
export class ConflictsError extends Error {
  override readonly name = "ConflictsError";
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} conflicts`);
    this.conflicts = conflicts;
  }
}

/** The object in another version; undefined when that version is no longer served. Without conversion all versions have the same fields. */
export function inVersion(
  typed: TypedObject,
  apiVersion: string,
  rules: UpdateRules,
): TypedObject | undefined {
  if (typed.apiVersion === apiVersion) return typed;
  if (!rules.convert) return { ...typed, apiVersion };
  const converted = rules.convert(typed.object, apiVersion);
  return converted && { ...converted, apiVersion };
}

/** The managers after types may have changed since they wrote; those of versions no longer served are dropped. */
export function reconcileManagers(
  live: TypedObject,
  managers: FieldManagers,
  rules: UpdateRules,
): Map<string, FieldManager> {
  const reconciled = new Map<string, FieldManager>();
  for (const manager of managers.values()) {
    const typed = inVersion(live, manager.apiVersion, rules);
    if (typed)
      reconciled.set(manager.id, withFields(manager, reconcileWithType(manager.fields, typed.typeInfo)));
  }
  return reconciled;
}

interface Transfer {
  /** The managers after all others lost what changed; those without fields are gone. */
  readonly managers: Map<string, FieldManager>;
  /** The changed fields. */
  readonly changes: VersionedChanges;
}

/** Takes from all managers but `acting` the fields that changed. Throws ConflictsError unless forced. */
export function transferFields(
  before: TypedObject,
  after: TypedObject,
  managers: FieldManagers,
  options: { readonly acting: string; readonly force: boolean; readonly rules: UpdateRules },
): Transfer {
  const { acting, force, rules } = options;
  const changes = new VersionedChanges(before, after, rules);
  const result = new Map<string, FieldManager>();
  const conflicts: Conflict[] = [];
  for (const manager of managers.values()) {
    if (manager.id === acting) {
      if (!manager.fields.isEmpty) result.set(acting, manager);
      continue;
    }
    const changed = changes.in(manager.apiVersion);
    if (!changed) continue;
    const lost = manager.fields.intersection(changed.modified.union(changed.added));
    if (!force) for (const path of lost.paths()) conflicts.push({ manager, path });
    const fields = manager.fields.difference(lost).difference(changed.removed);
    if (!fields.isEmpty) result.set(manager.id, withFields(manager, fields));
  }
  if (conflicts.length > 0) throw new ConflictsError(conflicts);
  return { managers: result, changes };
}

/** The comparison of two states in every version some manager wrote in, made when first asked for. */
class VersionedChanges {
  readonly #before: TypedObject;
  readonly #after: TypedObject;
  readonly #rules: UpdateRules;
  readonly #byVersion = new Map<string, Comparison | undefined>();

  constructor(before: TypedObject, after: TypedObject, rules: UpdateRules) {
    this.#before = before;
    this.#after = after;
    this.#rules = rules;
  }

  /** In the version of the objects. */
  own(): Comparison {
    const own = this.in(this.#before.apiVersion);
    if (!own) throw new Error(`${this.#before.apiVersion} is the version of the objects`);
    return own;
  }

  /** Undefined when the version is no longer served. */
  in(apiVersion: string): Comparison | undefined {
    const version = this.#rules.convert ? apiVersion : this.#before.apiVersion;
    if (!this.#byVersion.has(version)) this.#byVersion.set(version, this.#compareIn(version));
    return this.#byVersion.get(version);
  }

  #compareIn(apiVersion: string): Comparison | undefined {
    const before = inVersion(this.#before, apiVersion, this.#rules);
    const after = inVersion(this.#after, apiVersion, this.#rules);
    if (!before || !after) return undefined;
    const changes = compare(before.object, after.object, before.typeInfo);
    return excluding(changes, this.#rules.ignored);
  }
}

/** The managers after an update, and the fields the update itself changed. */
export function updateManagers(
  before: TypedObject,
  after: TypedObject,
  managers: FieldManagers,
  rules: UpdateRules,
): { readonly managers: Map<string, FieldManager>; readonly taken: FieldSet } {
  const reconciled = reconcileManagers(before, managers, rules);
  const transfer = transferFields(before, after, reconciled, { acting: "", force: true, rules });
  const { modified, added } = transfer.changes.own();
  return { managers: transfer.managers, taken: modified.union(added).recursiveDifference(rules.ignored) };
}
