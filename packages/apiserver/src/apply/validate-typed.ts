// Checks an applied configuration against its type before it is merged: only what merging relies on (shapes, keys,
// known fields), in the server's words. Schema validation proper comes later in the request.
import type { ListFacts, ScalarFacts, TypeFacts } from "@kubewright/api";
import { goSyntax, goType, goValue } from "./go-format.js";
import { isMap, type JsonMap } from "./json-value.js";
import { itemElement, ListItemError } from "./list-item.js";
import { describeElement } from "./path-element.js";
import { factsAt, shapeOf, takesUnknownFields } from "./type-shape.js";

const maxDepth = 1000;

/** The problems of a configuration as one text; undefined when there are none. */
export function typeProblems(value: unknown, facts: TypeFacts): string | undefined {
  const validation = new Validation();
  validation.visit(value, facts, "", false, 0);
  const [first, ...more] = validation.problems;
  if (first === undefined || more.length === 0) return first;
  return ["errors:", ...validation.problems.map((problem) => `  ${problem}`)].join("\n");
}

class Validation {
  readonly problems: string[] = [];

  /** `preserving`: some type above keeps unknown fields, and with it everything below. */
  visit(value: unknown, facts: TypeFacts, path: string, preserving: boolean, depth: number): void {
    if (value === null || value === undefined) return;
    if (depth > maxDepth) {
      this.#report(path, "nested too deeply");
      return;
    }
    switch (shapeOf(facts, value)) {
      case "map":
        if (isMap(value)) this.#visitMap(value, facts, path, preserving, depth);
        else this.#report(path, `expected map, got &{${goValue(value)}}`);
        break;
      case "list":
        if (Array.isArray(value)) this.#visitList(value, facts, path, preserving, depth);
        else this.#report(path, `expected list, got &{${goValue(value)}}`);
        break;
      case "scalar": {
        const problem = facts.kind === "scalar" ? scalarProblem(value, facts) : undefined;
        if (problem) this.#report(path, problem);
      }
    }
  }

  #visitMap(map: JsonMap, facts: TypeFacts, path: string, preserving: boolean, depth: number): void {
    const keeps = preserving || (facts.kind === "struct" && facts.preserveUnknownFields);
    for (const key of Object.keys(map)) {
      const value = map[key];
      if (value === undefined) continue;
      if (facts.kind === "struct" && !facts.fields.has(key) && !keeps && !takesUnknownFields(facts)) {
        if (facts.embeddedResource && embeddedFields.has(key)) continue;
        this.#report(`${path}.${key}`, "field not declared in schema");
        return;
      }
      this.visit(value, factsAt(facts, key), `${path}.${key}`, keeps, depth + 1);
    }
  }

  #visitList(
    list: readonly unknown[],
    facts: TypeFacts,
    path: string,
    preserving: boolean,
    depth: number,
  ): void {
    if (facts.kind !== "list") return;
    const seen = new Set<string>();
    for (const [index, item] of list.entries()) {
      const element =
        facts.listType === "atomic" ? `i:${index}` : this.#identify(facts, item, index, path, seen);
      if (element === undefined) return;
      this.visit(item, facts.item, path + describeElement(element), preserving, depth + 1);
    }
  }

  #identify(
    facts: ListFacts,
    item: unknown,
    index: number,
    path: string,
    seen: Set<string>,
  ): string | undefined {
    try {
      const element = itemElement(facts, item);
      if (seen.has(element)) this.#report(path, `duplicate entries for key ${describeElement(element)}`);
      seen.add(element);
      return element;
    } catch (error) {
      if (!(error instanceof ListItemError)) throw error;
      this.#report(path, `element ${index}: ${error.message}`);
      return undefined;
    }
  }

  #report(path: string, problem: string): void {
    this.problems.push(path === "" ? problem : `${path}: ${problem}`);
  }
}

const embeddedFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function scalarProblem(value: unknown, facts: ScalarFacts): string | undefined {
  switch (facts.type) {
    case "integer":
    case "number":
      if (typeof value === "number") return undefined;
      return `expected numeric (int or float), got ${goType(value)}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goValue(value)}}`;
    case "string":
      if (!isFreeForm(facts)) {
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
const isFreeForm = ({ format }: ScalarFacts) => format !== undefined && format !== "" && format !== "byte";
