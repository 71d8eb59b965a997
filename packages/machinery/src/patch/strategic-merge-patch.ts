// Strategic merge patch: a merge patch that knows which lists merge by a key, with directives for what a merge cannot
// say (`$patch`, `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`).
import {
  deepEqual,
  type FieldInfo,
  goType,
  isObject,
  ownValue,
  setOwn,
  type TypeInfo,
} from "@kubewright/api";
import { itemTypeInfo } from "../apply/type-structure.js";
import { copyMap, type JsonMap } from "../json-map.js";
import { badPatch, jsonType, patchFailed } from "./patch-error.js";
import {
  deleteFromListPrefix,
  directiveIn,
  fieldOfDirective,
  retainKeys,
  setOrderPrefix,
  unknownDirective,
  withoutDirectives,
} from "./strategic-directives.js";
import { type ListRules, mergeStrategicLists, orderBy } from "./strategic-lists.js";

const maxDepth = 1000;

/**
 * Applies a strategic merge patch (the decoded body) to an object of a built-in kind; the document itself comes back
 * when nothing changes. Throws an ApiError: 400, 422 or, where the server fails with a plain error, 500.
 */
export function applyStrategicMergePatch(document: JsonMap, patch: unknown, typeInfo: TypeInfo): JsonMap {
  if (patch === null) return document;
  if (!isObject(patch)) {
    throw badPatch(`json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`);
  }
  return mergeMaps(document, patch, typeInfo, 0);
}

function mergeMaps(document: JsonMap, patch: JsonMap, typeInfo: TypeInfo, depth: number): JsonMap {
  if (depth > maxDepth) throw badPatch("exceeded max depth");
  const directive = directiveIn(patch);
  if (directive !== undefined) return replaceOrDelete(document, patch, directive);
  return new StrategicMerge(document, patch, typeInfo, depth).result();
}

function replaceOrDelete(document: JsonMap, patch: JsonMap, directive: unknown): JsonMap {
  if (directive === "delete") return Object.keys(document).length === 0 ? document : {};
  if (directive !== "replace") throw unknownDirective(directive, patch);
  const replacement = copyMap(patch);
  delete replacement["$patch"];
  return deepEqual(document, replacement) ? document : replacement;
}

/** One object being merged; a copy is made at the first change. */
class StrategicMerge {
  readonly #patch: JsonMap;
  readonly #keys: readonly string[];
  readonly #typeInfo: TypeInfo;
  readonly #depth: number;
  #object: JsonMap;
  #copy: Record<string, unknown> | undefined;

  constructor(document: JsonMap, patch: JsonMap, typeInfo: TypeInfo, depth: number) {
    this.#object = document;
    this.#patch = patch;
    this.#keys = Object.keys(patch);
    this.#typeInfo = typeInfo;
    this.#depth = depth;
  }

  result(): JsonMap {
    if (ownValue(this.#patch, retainKeys) !== undefined) this.#retainKeys();
    const ordered = this.#keys.some(statesOrder) ? this.#setElementOrders() : none;
    for (const key of this.#keys) {
      if (key === retainKeys || key.startsWith(setOrderPrefix) || ordered.has(key)) continue;
      if (key.startsWith(deleteFromListPrefix)) {
        this.#deleteFromList(key);
        continue;
      }
      const live = ownValue(this.#object, key);
      const patch = this.#patch[key];
      const merged =
        typeof patch === "object" && patch !== null ? this.#merged(key, live, patch) : replaced(live, patch);
      this.#write(key, merged);
    }
    return this.#object;
  }

  #write(key: string, value: unknown): void {
    if (value === ownValue(this.#object, key)) return;
    this.#copy ??= copyMap(this.#object);
    this.#object = this.#copy;
    if (value === undefined) delete this.#copy[key];
    else setOwn(this.#copy, key, value);
  }

  #retainKeys(): void {
    const retained = ownValue(this.#patch, retainKeys);
    if (retained === undefined) return;
    if (!Array.isArray(retained)) throw badPatch("invalid patch format of retainKeys");
    const keys = new Set<unknown>(retained);
    for (const key of this.#keys) {
      if (key === retainKeys || this.#patch[key] === null || isListDirective(key)) continue;
      if (!keys.has(key)) throw badPatch("invalid patch format of retainKeys");
    }

    for (const key of Object.keys(this.#object)) {
      if (!keys.has(key)) this.#write(key, undefined);
    }
  }

  /** Merges the lists whose order the patch states; returns their names. */
  #setElementOrders(): ReadonlySet<string> {
    const done = new Set<string>();
    for (const key of this.#keys) {
      if (!key.startsWith(setOrderPrefix)) continue;
      const name = fieldOfDirective(key, setOrderPrefix);
      const order = listOrFail(this.#patch[key]) ?? [];
      const live = listOrFail(ownValue(this.#object, name));
      const patch = listOrFail(ownValue(this.#patch, name));
      const rules = this.#listRules(this.#field(name));
      const merged = orderBy(live, patch, order, rules);
      if (!merged) continue;
      this.#write(name, deepEqual(live, merged) ? live : merged);
      done.add(name);
    }
    return done;
  }

  #deleteFromList(key: string): void {
    const name = fieldOfDirective(key, deleteFromListPrefix);
    const live = ownValue(this.#object, name);
    const deleted = this.#patch[key];
    if (deleted === null) {
      this.#write(name, undefined);
    } else if (Array.isArray(live) && Array.isArray(deleted)) {
      const gone = new Set<unknown>(deleted);
      const kept = live.filter((item) => !gone.has(item));
      this.#write(name, kept.length === live.length ? live : kept);
    }
  }

  #merged(key: string, live: unknown, patch: object): unknown {
    if (isObject(live) && isObject(patch)) return this.#mergeMapField(key, live, patch);
    if (Array.isArray(live) && Array.isArray(patch)) return this.#mergeListField(key, live, patch);
    return withoutDirectives(patch);
  }

  #mergeMapField(key: string, live: JsonMap, patch: JsonMap): JsonMap {
    const { type, patchStrategy } = this.#field(key);
    if (!patchStrategy?.includes("replace")) return mergeMaps(live, patch, type, this.#depth + 1);
    return deepEqual(live, patch) ? live : patch;
  }

  #mergeListField(key: string, live: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
    const rules = this.#listRules(this.#field(key));
    const merged = rules.merges ? mergeStrategicLists(live, patch, rules) : patch;
    return deepEqual(live, merged) ? live : merged;
  }

  #listRules({ type, patchStrategy, patchMergeKey }: FieldInfo): ListRules {
    const item = itemTypeInfo(type);
    return {
      merges: patchStrategy?.includes("merge") ?? false,
      mergeKey: patchMergeKey,
      mergeItems: (live, patch) => mergeMaps(live, patch, item, this.#depth + 1),
    };
  }

  #field(name: string): FieldInfo {
    const typeInfo = this.#typeInfo;
    if (typeInfo.kind === "map") return { name, type: typeInfo.value };
    const field = typeInfo.kind === "struct" ? typeInfo.fields.get(name) : undefined;
    if (field) return field;
    const struct = (typeInfo.kind === "struct" && typeInfo.name?.split(".").at(-1)) || "RawExtension";
    throw patchFailed(`unable to find api field in struct ${struct} for the json field "${name}"`);
  }
}

const none: ReadonlySet<string> = new Set();

const statesOrder = (key: string) => key.startsWith(setOrderPrefix);
const isListDirective = (key: string) => key.startsWith(deleteFromListPrefix) || statesOrder(key);

/** The result where the patch has a scalar. Undefined: the key is removed. */
function replaced(live: unknown, patch: unknown): unknown {
  if (patch === undefined) return live;
  return patch === null ? undefined : patch;
}

function listOrFail(value: unknown): readonly unknown[] | undefined {
  if (value === undefined || Array.isArray(value)) return value;
  const type = value === null ? "%!s(<nil>)" : goType(value);
  throw patchFailed(`expected a []interface {}, but received a ${type}`);
}
