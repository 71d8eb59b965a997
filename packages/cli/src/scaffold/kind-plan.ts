// What every command that scaffolds something for a kind works with: the files of the kind, main.ts, and its record in PROJECT.
import type { ResourceDescriptor } from "@kubewright/api";
import { withArticle } from "../article.js";
import type { Existing, FilePlan } from "./file-plan.js";
import { importPath, type KindFiles, kindFiles } from "./kind-files.js";
import type { RequestedKind } from "./kind-request.js";
import { MainEditor } from "./main-editor.js";
import { formatProject, fullGroup, type Project, type ProjectResource } from "./project-file.js";
import { render } from "./template.js";

/** The values of a template by name. */
export type TemplateValues = Readonly<Record<string, string>>;

/** Plans files and edits for one kind of a project. */
export class KindPlan {
  readonly files: KindFiles;
  readonly main: MainEditor;
  /** The versions PROJECT has of the kind; it is defined in the first. */
  readonly versions: readonly ProjectResource[];
  readonly kind: ProjectResource;
  /** Set for kinds of Kubernetes itself. */
  readonly builtin: ResourceDescriptor | undefined;
  readonly #plan: FilePlan;
  readonly #project: Project;
  readonly #recorded: ProjectResource | undefined;

  constructor(plan: FilePlan, project: Project, requested: RequestedKind) {
    const { kind, builtin, recorded } = requested;
    this.#plan = plan;
    this.#project = project;
    this.#recorded = recorded;
    this.builtin = builtin;
    this.kind = kind;
    this.versions = versionsOf(project, kind);
    this.files = kindFiles(project, kind);
    this.main = new MainEditor(plan);
  }

  /** What is left to do by hand. */
  get manual(): readonly string[] {
    return this.main.manual;
  }

  /** The file that defines a kind of the project, as it will be. */
  filesOf(kind: ProjectResource): KindFiles {
    return kindFiles(this.#project, kind);
  }

  /** Plans a file from a template. */
  add(path: string, template: string, values: TemplateValues, existing: Existing): void {
    this.#plan.add(path, render(template, values), existing);
  }

  /** Plans the record of the kind in PROJECT, as it was or new, with what has changed. */
  record(changes: (before: ProjectResource) => ProjectResource): void {
    const before = this.#recorded;
    const now = changes(before ?? this.kind);
    const others = this.#project.resources;
    const resources = before ? others.map((each) => (each === before ? now : each)) : [...others, now];
    this.#plan.edit("PROJECT", formatProject({ ...this.#project, resources }));
  }

  /** The values that templates about a kind share; `from` is the file that would import it. */
  values(from: string): TemplateValues {
    const { kind } = this.kind;
    const { variable, resource } = this.files;
    const isBuiltin = this.builtin !== undefined;
    const path = importPath(from, resource);
    return {
      kind,
      variable,
      projectName: this.#project.projectName,
      aKind: withArticle(kind),
      builtinImport: isBuiltin ? `import { ${kind} } from "@kubewright/api";` : "",
      resourceImport: path,
      resourceImportLine: isBuiltin ? "" : `import { ${kind} } from "${path}";`,
      testResources: isBuiltin ? "" : `resources: [${kind}], `,
    };
  }
}

function versionsOf({ resources }: Project, kind: ProjectResource): readonly ProjectResource[] {
  return resources.filter((other) => fullGroup(other) === fullGroup(kind) && other.kind === kind.kind);
}

/** `src/controllers/order.ts` → `order`. */
export const fileName = (path: string): string => path.split("/").at(-1)?.replace(/\.ts$/, "") ?? path;

/** `src/controllers/order.ts` → `src/controllers/order.test.ts`. */
export const testOf = (path: string): string => path.replace(/\.ts$/, ".test.ts");
