// The outline of an object: all of it that decides who owns what once it is created. Objects of one outline have the same
// owned fields, whatever their values are.
import { isObject, type TypeInfo } from "@kubewright/api";
import { itemElement } from "./list-item.js";
import { associative, isAtomicMap, structureOf, typeInfoAt } from "./type-structure.js";

/** Longer outlines are not worth keeping. */
const maxLength = 4000;

/**
 * A text that is equal for objects of the same outline only; undefined when it would be long. Throws ListItemError for
 * items without identity.
 */
export function objectOutline(value: unknown, typeInfo: TypeInfo): string | undefined {
  const outline = new Outline();
  outline.add(value, typeInfo);
  return outline.text.length > maxLength ? undefined : outline.text;
}

class Outline {
  text = "";

  add(value: unknown, typeInfo: TypeInfo): void {
    if (this.text.length > maxLength) return;
    const structure = structureOf(typeInfo, value);
    if (structure === "map" && isObject(value)) this.#addMap(value, typeInfo);
    else if (structure === "list" && Array.isArray(value)) this.#addList(value, typeInfo);
    else this.text += leafText(value);
  }

  #addMap(map: Readonly<Record<string, unknown>>, typeInfo: TypeInfo): void {
    const isAtomic = isAtomicMap(typeInfo);
    this.text += isAtomic ? "<" : "{";
    for (const key in map) {
      if (this.text.length > maxLength) return;
      const value = map[key];
      if (value === undefined) continue;
      // The length says where the key ends, whatever is in it.
      this.text += `${key.length}:${key}`;
      if (isAtomic) this.text += leafText(value);
      else this.add(value, typeInfoAt(typeInfo, key));
    }
    this.text += "}";
  }

  #addList(list: readonly unknown[], typeInfo: TypeInfo): void {
    const items = associative(typeInfo);
    if (!items) {
      this.text += list.length === 0 ? "[]" : "[*]";
      return;
    }
    this.text += "[";
    for (const item of list) {
      if (this.text.length > maxLength) return;
      const element = itemElement(items, item);
      this.text += `${element.length}:${element}`;
      this.add(item, items.item);
    }
    this.text += "]";
  }
}

/** Fields that hold what an empty object holds are not owned, so such values count; others do not. */
function leafText(value: unknown): string {
  if (value === null || value === "" || value === 0 || value === false || value === "0")
    return JSON.stringify(value);
  return "*";
}
