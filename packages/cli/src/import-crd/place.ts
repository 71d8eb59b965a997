// Places in a definition, and what is found there.
import type { BuiltIn, NearlyBuiltIn } from "./built-in-types.js";

/** Where a schema stands. */
export interface Place {
  /** From the version on, as in `v1.spec.template`. */
  readonly path: readonly string[];
  /** The name of the field, which items of its list share. */
  readonly field: string;
  readonly findings: Findings;
}

/** The place of a field, or of what a list or map holds. */
export const inner = ({ path, findings }: Place, step: string, field = step): Place => ({
  path: [...path, step],
  field,
  findings,
});

/** What is found while a definition is written down. */
export class Findings {
  readonly builtIns: (BuiltIn & { readonly path: readonly string[] })[] = [];
  readonly #near: (NearlyBuiltIn & { readonly path: readonly string[] })[] = [];

  same({ path }: Place, found: BuiltIn): void {
    this.builtIns.push({ path, ...found });
  }

  /** A type that differs inside makes those around it differ, which are found first. */
  near({ path }: Place, found: NearlyBuiltIn): void {
    const isInside = this.#near.some((other) => other.path.every((step, index) => path[index] === step));
    if (!isInside) this.#near.push({ path, ...found });
  }

  /** What a reader of the module should know, a sentence each. */
  notes(): readonly string[] {
    const texts = this.builtIns.length > 0 ? ["The texts inside built-in types (kube.…) are left out"] : [];
    const newer = this.builtIns
      .filter((found) => found.newer.length > 0)
      .map(({ path, type, newer }) => `${pathText(path)} is a ${type}, which has ${listed(newer)} since`);
    const near = this.#near.map(
      ({ path, type, differences }) =>
        `${pathText(path)} is not the built-in ${type} because of ${listed(differences)}, and is written out`,
    );
    return [...texts, ...newer, ...near];
  }
}

const pathText = (path: readonly string[]): string => path.join(".").replaceAll(".[]", "[]");

function listed(fields: readonly string[]): string {
  const shown = fields.slice(0, 3).map((field) => pathText([field]));
  return fields.length > 3 ? `${shown.join(", ")} and ${fields.length - 3} more` : shown.join(", ");
}
