// The user's own patches in a chart: applied to objects in which placeholders stand for values, and refused where they would take the
// place of one.
import { randomBytes } from "node:crypto";
import { isObject } from "@kubewright/api";
import { UsageError } from "../command.js";
import { applyPatches, type Patchable } from "./apply-patches.js";
import type { ManifestSettings } from "./manifest-settings.js";
import type { Manifest } from "./operator.js";
import type { OwnPatch } from "./own-patches.js";

/** No text of a project can hold it, so that none is taken for a placeholder. */
const mark = randomBytes(8).toString("hex");

/** Stand for what a release decides, until they become expressions. */
export const tokens = {
  namespace: `@${mark}.namespace@`,
  image: `@${mark}.image@`,
  replicas: `@${mark}.replicas@`,
} as const;

/** What a value of the chart is put in for: all of a field, further items of a list, or further entries of a map. */
export type ValuePlace = "value" | "items" | "entries";

/** Stands for a value of the chart until it becomes an expression. */
export const placeholder = (place: ValuePlace, path: string): string => `@${mark}.${place}:${path}@`;

/** The source of a regular expression that matches such placeholders, with the path as its group. */
export const placeholderPattern = (place: ValuePlace): string => `@${mark}\\.${place}:([\\w.]+)@`;

/** Patches name objects as they are in config/, where the namespace is a name and not an expression. */
export class TemplatePatches {
  readonly #settings: ManifestSettings;
  readonly #used = new Set<OwnPatch>();

  constructor(settings: ManifestSettings) {
    this.#settings = settings;
  }

  /** Further objects of the user. */
  get resources(): readonly Manifest[] {
    return this.#settings.patches.resources;
  }

  /** Patches of objects that a chart does not have. */
  get warnings(): readonly string[] {
    return this.#settings.patches.patches
      .filter((patch) => !this.#used.has(patch))
      .map(
        ({ source }) =>
          `${source} is for no object of the chart (the namespace, for one, is its installer's)`,
      );
  }

  apply(objects: readonly Patchable[]): readonly unknown[] {
    const { namespace, patches } = this.#settings;
    const named = objects.map((object) => replaced(object, tokens.namespace, namespace));
    const values = placeholders(named);
    const { objects: patched, unused } = applyPatches(named.map(withoutItems), patches.patches);
    for (const patch of patches.patches) if (!unused.includes(patch)) this.#used.add(patch);
    const whole = patched.map((object) =>
      withItems(
        object,
        named.find((each) => isSame(each, object)),
      ),
    );
    const lost =
      patched.length < objects.length ? [] : values.filter((each) => !placeholders(whole).includes(each));
    if (lost[0] !== undefined)
      throw new UsageError(
        `config/patches changes ${valuePath(lost[0])}, which the chart takes from its values; set it in kubewright.manager of package.json instead`,
      );
    return whole.map((object) => replaced(object, namespace, tokens.namespace));
  }
}

const isSame = (one: Patchable, other: Patchable): boolean =>
  one.kind === other.kind && one.metadata?.name === other.metadata?.name;

/** The namespace of an object, and of those that it names. */
function replaced<T>(object: T, from: string, to: string): T {
  return JSON.parse(JSON.stringify(object), (key, member: unknown) =>
    key === "namespace" && member === from ? to : member,
  );
}

/** What stands for values in objects. */
function placeholders(objects: readonly unknown[]): readonly string[] {
  return JSON.stringify(objects).match(allPlaceholders) ?? [];
}

const allPlaceholders = new RegExp(`@${mark}\\.(?:(?:value|items|entries):[\\w.]+|image|replicas)@`, "g");

const valuePath = (found: string): string => found.replace(/^@\w+\.(\w+:)?|@$/g, "");

/** Lists merge by the keys of their items, so what stands for further items is put aside. */
function withoutItems<T>(object: T): T {
  return JSON.parse(JSON.stringify(object), (_, member: unknown) =>
    Array.isArray(member) ? member.filter((item) => !isItems(item)) : member,
  );
}

const isItems = (item: unknown): item is string =>
  typeof item === "string" && item.startsWith(`@${mark}.items:`);

/** Puts them back to the end of the lists that they were in. */
function withItems<T>(object: T, original: unknown): T {
  if (Array.isArray(object) && Array.isArray(original)) {
    const items = object.map((item, index) => withItems(item, counterpart(original, item, index)));
    return [...items, ...original.filter(isItems)] as T;
  }
  if (!isObject(object) || !isObject(original)) return object;
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [name, withItems(member, original[name])]),
  ) as T;
}

/** The item of the same name, where items have names. */
function counterpart(items: readonly unknown[], item: unknown, index: number): unknown {
  if (!isObject(item) || typeof item["name"] !== "string") return items[index];
  return items.find((other) => isObject(other) && other["name"] === item["name"]);
}
