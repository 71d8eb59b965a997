// Removes what a manager applied last time and does not apply now, unless someone else owns it.
import { FieldSet } from "./field-set.js";
import { withNamedFields } from "./field-set-type.js";
import { isMap } from "./json-value.js";
import type { Manager, Managers } from "./managers.js";
import { removeItems } from "./remove-items.js";
import { toFieldSet } from "./to-field-set.js";
import { inVersion, type TypedObject, type UpdateRules } from "./updater.js";

/** The merged object without what `last` shows the applying manager gave up. `managers` hold its new fields. */
export function prune(
  merged: TypedObject,
  managers: Managers,
  acting: Manager,
  last: Manager | undefined,
  rules: UpdateRules,
): TypedObject {
  if (!last || last.fields.isEmpty) return merged;
  const sameVersion = last.apiVersion === acting.apiVersion;
  if (sameVersion && last.fields.difference(acting.fields).isEmpty) return merged;
  const converted = inVersion(merged, last.apiVersion, rules);
  if (!converted) return merged;
  const without = remove(converted, withNamedFields(last.fields, converted.facts));
  const owned = addBackOwned(converted, without, managers, rules);
  const pruned = addBackDangling(converted, owned, last, rules);
  return inVersion(pruned, acting.apiVersion, rules) ?? merged;
}

function remove(typed: TypedObject, items: FieldSet): TypedObject {
  const object = removeItems(typed.object, items, typed.facts);
  return object === typed.object ? typed : { ...typed, object: isMap(object) ? object : {} };
}

const fieldsOf = (typed: TypedObject): FieldSet =>
  withNamedFields(toFieldSet(typed.object, typed.facts), typed.facts);

/** Puts back what anyone owns, the applying manager's new fields included; in the pruned version first. */
function addBackOwned(
  merged: TypedObject,
  pruned: TypedObject,
  managers: Managers,
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
    const kept = fieldsOf(part).union(withNamedFields(owned, whole.facts));
    result = remove(whole, fieldsOf(whole).difference(kept));
  }
  return result;
}

/** Puts back what the applying manager never owned: nobody's fields, defaults among them, are not its to remove. */
function addBackDangling(
  merged: TypedObject,
  pruned: TypedObject,
  last: Manager,
  rules: UpdateRules,
): TypedObject {
  const part = inVersion(pruned, last.apiVersion, rules);
  if (!part) return merged;
  const gone = fieldsOf(merged).difference(fieldsOf(part));
  return remove(merged, gone.intersection(withNamedFields(last.fields, merged.facts)));
}
