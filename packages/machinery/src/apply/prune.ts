import { isObject } from "@kubewright/api";
import { FieldSet } from "./field-set.js";
import { withNamedFields } from "./field-set-type.js";
import type { FieldManager, FieldManagers } from "./managed-fields.js";
import { removeItems } from "./remove-items.js";
import { toFieldSetWithNamed } from "./to-field-set.js";
import { inVersion, type TypedObject, type UpdateRules } from "./updater.js";

/**
 * The merged object without what `last` shows the applying manager gave up. `managers` hold its new fields. Maps and lists that lost
 * all they held are null: their managers keep them.
 */
export function prune(
  merged: TypedObject,
  managers: FieldManagers,
  acting: FieldManager,
  last: FieldManager | undefined,
  rules: UpdateRules,
): TypedObject {
  if (!last || last.fields.isEmpty) return merged;
  const sameVersion = last.apiVersion === acting.apiVersion;
  if (sameVersion && acting.fields.includes(last.fields)) return merged;
  const converted = inVersion(merged, last.apiVersion, rules);
  if (!converted) return merged;
  const whole: Whole = { ...converted, fields: fieldsOf(converted) };
  const given = withNamedFields(last.fields, whole.typeInfo);
  const owned = addBackOwned(whole, remove(whole, given), managers, rules);
  const gone = goneForGood(whole, owned, given, rules);
  return inVersion(remove(whole, gone), acting.apiVersion, rules) ?? merged;
}

/** The merged object in one version, with all its fields. */
interface Whole extends TypedObject {
  readonly fields: FieldSet;
}

function remove(typed: TypedObject, items: FieldSet): TypedObject {
  const object = removeItems(typed.object, items, typed.typeInfo);
  return object === typed.object ? typed : { ...typed, object: isObject(object) ? object : {} };
}

const fieldsOf = ({ object, typeInfo }: TypedObject): FieldSet => toFieldSetWithNamed(object, typeInfo);

/** Puts back what any manager has, the applying manager's new fields included; in the pruned version first. */
function addBackOwned(
  merged: Whole,
  pruned: TypedObject,
  managers: FieldManagers,
  rules: UpdateRules,
): TypedObject {
  const byVersion = new Map<string, FieldSet>([[merged.apiVersion, FieldSet.empty]]);
  for (const { apiVersion, fields } of managers.values()) {
    byVersion.set(apiVersion, (byVersion.get(apiVersion) ?? FieldSet.empty).union(fields));
  }
  let result = pruned;
  for (const [apiVersion, owned] of byVersion) {
    const whole = inVersion(merged, apiVersion, rules);
    const part = inVersion(result, apiVersion, rules);
    if (!whole || !part) continue;
    const fields = whole === merged ? merged.fields : fieldsOf(whole);
    const kept = fieldsOf(part).union(withNamedFields(owned, whole.typeInfo));
    result = remove(whole, fields.difference(kept));
  }
  return result;
}

/** Of the fields that are not put back, only those the manager had: fields without a manager, defaults among them, stay. */
function goneForGood(merged: Whole, pruned: TypedObject, given: FieldSet, rules: UpdateRules): FieldSet {
  const part = inVersion(pruned, merged.apiVersion, rules);
  return part ? merged.fields.difference(fieldsOf(part)).intersection(given) : FieldSet.empty;
}
