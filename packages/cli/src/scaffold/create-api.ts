// A kind and its controller: the files, and their places in main.ts and PROJECT.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ResourceDescriptor } from "@kubewright/api";
import { UsageError } from "../command.js";
import { FilePlan } from "./file-plan.js";
import { importPath, type KindFiles, kindFiles, versionVariable, withArticle } from "./kind-files.js";
import { type KindOptions, requestedKind } from "./kind-request.js";
import { MainEditor } from "./main-editor.js";
import { pascalCase } from "./names.js";
import {
  type FoundProject,
  formatProject,
  fullGroup,
  type Project,
  type ProjectResource,
} from "./project-file.js";
import type { Scaffolded } from "./scaffolded.js";
import { addImport, addNestedProperty } from "./source-edit.js";
import { render } from "./template.js";

/** What `create api` can be told. */
export interface CreateApiOptions extends KindOptions {
  /** Cluster-wide unless true; true unless told. */
  readonly namespaced?: boolean | undefined;
  /** Whether to write the kind; where Kubernetes has it, not unless told. */
  readonly resource?: boolean | undefined;
  /** Whether to write a controller; it is unless told. */
  readonly controller?: boolean | undefined;
  readonly template?: string | undefined;
  /** Overwrites files that are there. */
  readonly force?: boolean | undefined;
}

/** Plans and writes a kind and its controller. */
export async function createApi(found: FoundProject, options: CreateApiOptions): Promise<Scaffolded> {
  const plan = new FilePlan(found.directory);
  const manual = await planApi(plan, found, options);
  return { changes: plan.write(), manual };
}

/** The same as part of a larger plan. Returns what the user must do by hand. */
export async function planApi(
  plan: FilePlan,
  { directory, project }: FoundProject,
  options: CreateApiOptions,
): Promise<readonly string[]> {
  const { kind, builtin, recorded } = await requestedKind(project, options, options.resource === true);
  const api = new ApiPlan(plan, project, options, kind, builtin);
  const hasController = options.controller ?? true;
  if (options.resource !== false && !builtin) api.addResource();
  else if (!builtin && plan.read(api.hubFile()) === undefined && !existsSync(join(directory, api.hubFile())))
    throw new UsageError(
      `${api.hubFile()} is not there; leave out --resource=false to make it, or bring it with kubewright import crd`,
    );
  if (hasController) api.addController();
  else if (!recorded?.controller && !builtin) api.addToMain("resources");
  api.record(recorded, hasController);
  return api.manual;
}

class ApiPlan {
  readonly #plan: FilePlan;
  readonly #project: Project;
  readonly #options: CreateApiOptions;
  readonly #kind: ProjectResource;
  readonly #builtin: ResourceDescriptor | undefined;
  readonly #files: KindFiles;
  /** The version the definition is in, where this is a further one. */
  readonly #hub: ProjectResource | undefined;
  readonly #main: MainEditor;

  constructor(
    plan: FilePlan,
    project: Project,
    options: CreateApiOptions,
    kind: ProjectResource,
    builtin: ResourceDescriptor | undefined,
  ) {
    this.#plan = plan;
    this.#project = project;
    this.#options = options;
    this.#kind = kind;
    this.#builtin = builtin;
    this.#files = kindFiles(project, kind);
    const first = project.resources.find(
      (other) => other.api && fullGroup(other) === fullGroup(kind) && other.kind === kind.kind,
    );
    this.#hub = first && first.version !== kind.version ? first : undefined;
    this.#main = new MainEditor(plan);
  }

  get manual(): readonly string[] {
    return this.#main.manual;
  }

  /** Where the kind is defined. */
  hubFile(): string {
    return this.#hub ? kindFiles(this.#project, this.#hub).resource : this.#files.resource;
  }

  addResource(): void {
    const { resource } = this.#files;
    this.#add(resource, this.#hub ? "api/minimal/version.ts" : `api/${this.#template()}/resource.ts`);
    if (this.#hub) this.#addVersion();
  }

  /** A further version is told to the definition. */
  #addVersion(): void {
    const file = this.hubFile();
    const variable = versionVariable(this.#files, this.#kind.version);
    const from = importPath(file, this.#files.resource);
    const source = this.#plan.read(file);
    const edited =
      source &&
      addNestedProperty(source, "defineResource", "versions", { name: this.#kind.version, value: variable });
    if (edited === source && edited !== undefined) return;
    if (edited) this.#plan.edit(file, addImport(edited, variable, from));
    else
      this.#main.byHand(
        `in ${file}, import { ${variable} } from "${from}" and add versions: { ${this.#kind.version}: ${variable} } to defineResource`,
      );
  }

  addController(): void {
    if (this.#hub) return;
    const { controller, children } = this.#files;
    const folder = `api/${this.#builtin ? "builtin" : this.#template()}`;
    this.#add(controller, `${folder}/controller.ts`);
    if (folder === "api/app") this.#add(children, `${folder}/children.ts`);
    this.#add(controller.replace(/\.ts$/, ".test.ts"), `${folder}/controller.test.ts`);
    this.addToMain("controllers");
  }

  /** Tells the manager of the controller, or of a kind without one. */
  addToMain(list: "controllers" | "resources"): void {
    if (this.#hub) return;
    if (list === "controllers") this.#main.add(list, this.#files.controllerName, this.#files.controller);
    else this.#main.add(list, this.#kind.kind, this.#files.resource);
  }

  record(recorded: ProjectResource | undefined, hasController: boolean): void {
    const { namespaced = true, resource = true } = this.#options;
    const isOwn = resource && !this.#builtin;
    const now: ProjectResource = {
      ...this.#kind,
      api: recorded?.api ?? (isOwn ? { namespaced: this.#hub?.api?.namespaced ?? namespaced } : undefined),
      controller: (recorded?.controller ?? false) || (hasController && !this.#hub),
    };
    const others = this.#project.resources;
    const resources = recorded ? others.map((each) => (each === recorded ? now : each)) : [...others, now];
    this.#plan.edit("PROJECT", formatProject({ ...this.#project, resources }));
  }

  #template(): string {
    return this.#options.template ?? "minimal";
  }

  #add(path: string, template: string): void {
    this.#plan.add(
      path,
      render(template, this.#values()),
      this.#options.force ? "replace" : this.#existing(),
    );
  }

  /** What is recorded was scaffolded, and is the user's since; what is not is in the way. */
  #existing(): "keep" | "refuse" {
    return this.#project.resources.includes(this.#kind) ? "keep" : "refuse";
  }

  #values(): Readonly<Record<string, string>> {
    const { kind, version, plural } = this.#kind;
    const { resource, controller, controllerName, variable, camel, hasTwin } = this.#files;
    const { namespaced = true } = this.#options;
    return {
      kind,
      version,
      camel,
      variable,
      fullGroup: fullGroup(this.#kind),
      projectName: this.#project.projectName,
      lowerKind: kind.toLowerCase(),
      aKind: withArticle(kind),
      theKind: `the ${kind}`,
      Version: pascalCase(version),
      hubImport: this.hubFile(),
      pluralLine: plural === undefined ? "" : `plural: ${JSON.stringify(plural)},`,
      scopeLine: namespaced ? "" : 'scope: "Cluster",',
      controllerNameLine: hasTwin ? `name: ${JSON.stringify(controllerFile(controller))},` : "",
      resourceImport: importPath(controller, resource),
      controller: controllerName,
      controllerFile: controllerFile(controller),
    };
  }
}

const controllerFile = (path: string): string => path.split("/").at(-1)?.replace(/\.ts$/, "") ?? path;
