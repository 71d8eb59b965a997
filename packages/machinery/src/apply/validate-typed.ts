// Checks an applied configuration against its type before it is merged: only what merging relies on (shapes, keys,
// known fields), in the server's words. Schema validation proper comes later in the request.
import { goType, isObject, type ListInfo, type ScalarInfo, type TypeInfo } from "@kubewright/api";
import { goSyntax, goValue } from "../go-format.js";
import type { AnyObject } from "./apply-types.js";
import { type ItemIdentity, itemElement, itemIdentity, ListItemError } from "./list-item.js";
import { describeElement } from "./path-element.js";
import { type Structure, structureOf, takesUnknownFields, typeInfoAt } from "./type-structure.js";

const maxDepth = 1000;
/** More problems than this are not listed. */
const mostProblems = 10_000;

/** The problems of a configuration as one text; undefined when there are none. */
export function typeProblems(value: unknown, typeInfo: TypeInfo): string | undefined {
  const validation = new Validation();
  validation.visit(value, typeInfo, false);
  const [first, ...more] = validation.problems;
  if (first === undefined || more.length === 0) return first;
  return ["errors:", ...validation.problems.map((problem) => `  ${problem}`)].join("\n");
}

class Validation {
  readonly problems: string[] = [];
  readonly #path: Step[] = [];

  /** `preserving`: some type above keeps unknown fields, and with it everything below. */
  visit(value: unknown, typeInfo: TypeInfo, preserving: boolean): void {
    if (value === null || value === undefined) return;
    if (this.#path.length > maxDepth) {
      this.#report("nested too deeply");
      return;
    }
    const structure = structureOf(typeInfo, value);
    if (structure === "map" && isObject(value)) this.#visitMap(value, typeInfo, preserving);
    else if (structure === "list" && Array.isArray(value)) this.#visitList(value, typeInfo, preserving);
    else this.#leaf(value, typeInfo, structure);
  }

  #leaf(value: unknown, typeInfo: TypeInfo, structure: Structure): void {
    if (structure !== "scalar") {
      this.#report(`expected ${structure}, got &{${goValue(value)}}`);
      return;
    }
    const problem = typeInfo.kind === "scalar" ? scalarProblem(value, typeInfo) : undefined;
    if (problem) this.#report(problem);
  }

  #visitMap(map: AnyObject, typeInfo: TypeInfo, preserving: boolean): void {
    const keeps = preserving || (typeInfo.kind === "struct" && typeInfo.preserveUnknownFields);
    for (const key of Object.keys(map)) {
      const value = map[key];
      if (value === undefined) continue;
      this.#path.push(key);
      const known =
        typeInfo.kind !== "struct" || typeInfo.fields.has(key) || keeps || takesUnknownFields(typeInfo);
      if (known) this.visit(value, typeInfoAt(typeInfo, key), keeps);
      else this.#report("field not declared in schema");
      this.#path.pop();
      if (!known) return;
    }
  }

  #visitList(list: readonly unknown[], typeInfo: TypeInfo, preserving: boolean): void {
    if (typeInfo.kind !== "list") return;
    const seen = new Set<ItemIdentity>();
    for (const [index, item] of list.entries()) {
      if (this.problems.length >= mostProblems) return;
      if (typeInfo.listType !== "atomic" && !this.#identify(typeInfo, item, index, seen)) return;
      this.#path.push({ list: typeInfo, item, index });
      this.visit(item, typeInfo.item, preserving);
      this.#path.pop();
    }
  }

  /** False when the item has no identity, and with it no path. */
  #identify(list: ListInfo, item: unknown, index: number, seen: Set<ItemIdentity>): boolean {
    try {
      const identity = itemIdentity(list, item);
      if (seen.has(identity))
        this.#report(`duplicate entries for key ${describeStep({ list, item, index })}`);
      seen.add(identity);
      return true;
    } catch (error) {
      if (!(error instanceof ListItemError)) throw error;
      this.#report(`element ${index}: ${error.message}`);
      return false;
    }
  }

  #report(problem: string): void {
    const path = this.#path.map(describeStep).join("");
    this.problems.push(path === "" ? problem : `${path}: ${problem}`);
  }
}

/** A field, or an item of a list; put into words only when there is something to say of it. */
type Step = string | { readonly list: ListInfo; readonly item: unknown; readonly index: number };

function describeStep(step: Step): string {
  if (typeof step === "string") return `.${step}`;
  return step.list.listType === "atomic"
    ? `[${step.index}]`
    : describeElement(itemElement(step.list, step.item));
}

function scalarProblem(value: unknown, typeInfo: ScalarInfo): string | undefined {
  switch (typeInfo.type) {
    case "integer":
    case "number":
      if (typeof value === "number" || typeof value === "bigint") return undefined;
      return `expected numeric (int or float), got ${goType(value)}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goValue(value)}}`;
    case "string":
      if (!isFreeForm(typeInfo)) {
        if (typeof value === "string") return undefined;
        return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
      }
      break;
    case "int-or-string":
      break;
  }
  return typeof value === "object" ? `expected any scalar, got &{${goValue(value)}}` : undefined;
}

/** Strings with a format (dates, quantities) may be any scalar to the merge; only plain ones must be strings. */
const isFreeForm = ({ format }: ScalarInfo) => format !== undefined && format !== "" && format !== "byte";
