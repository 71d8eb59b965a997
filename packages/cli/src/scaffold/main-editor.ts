// Tells src/main.ts of what was scaffolded. Where main.ts is written in a way that cannot be edited safely, the user is told
// exactly what to add.
import type { FilePlan } from "./file-plan.js";
import { importPath } from "./kind-files.js";
import { addImport, addListElement } from "./source-edit.js";

const main = "src/main.ts";

/** Plans edits of main.ts. */
export class MainEditor {
  readonly #plan: FilePlan;
  readonly #manual: string[] = [];

  constructor(plan: FilePlan) {
    this.#plan = plan;
  }

  /** What is left to do by hand. */
  get manual(): readonly string[] {
    return this.#manual;
  }

  /** Adds a name to a list of defineManager, imported from a file of the project. */
  add(list: "controllers" | "resources" | "webhooks", name: string, file: string): void {
    const from = importPath(main, file);
    const source = this.#plan.read(main);
    const edited = source === undefined ? undefined : addListElement(source, "defineManager", list, name);
    if (edited === undefined)
      this.byHand(
        `in ${main}, import { ${name} } from "${from}" and add ${name} to ${list} of defineManager`,
      );
    else if (edited !== source) this.#plan.edit(main, addImport(edited, name, from));
  }

  byHand(what: string): void {
    this.#manual.push(what);
  }
}
