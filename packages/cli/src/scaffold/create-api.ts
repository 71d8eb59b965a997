// A kind and its controller: the files, and their places in main.ts and PROJECT.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../command.js";
import { type Existing, FilePlan } from "./file-plan.js";
import { importPath, versionVariable } from "./kind-files.js";
import { fileName, KindPlan, type TemplateValues, testOf } from "./kind-plan.js";
import { type KindOptions, type RequestedKind, requestedKind } from "./kind-request.js";
import { pascalCase } from "./names.js";
import { type FoundProject, fullGroup, type Project, type ProjectResource } from "./project-file.js";
import type { Scaffolded } from "./scaffolded.js";
import { addImport, addNestedProperty } from "./source-edit.js";
import { versionCopy } from "./version-copy.js";

/** What `create api` can be told. */
export interface CreateApiOptions extends KindOptions {
  /** Whether the kind is namespaced rather than cluster-scoped. Default: true. */
  readonly namespaced?: boolean | undefined;
  /** Whether to write the kind. Default: true, and false for a built-in kind. */
  readonly resource?: boolean | undefined;
  /** Whether to write a controller. Default: true. */
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
  const requested = await requestedKind(project, options, options.resource === true);
  const api = new ApiPlan(plan, project, options, requested);
  const hasController = options.controller ?? true;
  if (api.isOwn) api.addResource();
  else if (!requested.builtin && !existsSync(join(directory, api.hubFile)))
    throw new UsageError(
      `${api.hubFile} is not there; leave out --resource=false to make it, or bring it with kubewright import crd`,
    );
  if (hasController) api.addController();
  else if (!requested.recorded?.controller && api.isOwn) api.addToMain("resources");
  api.record(hasController);
  return api.manual;
}

class ApiPlan {
  /** Whether the kind is, or becomes, one of the project. */
  readonly isOwn: boolean;
  /** Where the kind is defined. */
  readonly hubFile: string;
  readonly #plan: FilePlan;
  readonly #options: CreateApiOptions;
  readonly #kind: KindPlan;
  readonly #isRecorded: boolean;
  /** The version the definition is in, where this is a further one. */
  readonly #hub: ProjectResource | undefined;

  constructor(plan: FilePlan, project: Project, options: CreateApiOptions, requested: RequestedKind) {
    const { kind, builtin, recorded } = requested;
    this.#plan = plan;
    this.#options = options;
    this.#kind = new KindPlan(plan, project, requested);
    this.#isRecorded = recorded !== undefined;
    this.isOwn = options.resource !== false && !builtin && !recorded?.external;
    const first = this.#kind.versions.find(({ api }) => api);
    this.#hub = first && first.version !== kind.version ? first : undefined;
    this.hubFile = (this.#hub ? this.#kind.filesOf(this.#hub) : this.#kind.files).resource;
  }

  get manual(): readonly string[] {
    return this.#kind.manual;
  }

  addResource(): void {
    const { resource } = this.#kind.files;
    if (this.#hub) this.#addFurtherVersion(resource);
    else this.#add(resource, `api/${this.#template}/resource.ts`);
  }

  #addFurtherVersion(resource: string): void {
    const copy = this.#versionCopy();
    if (copy === undefined) this.#add(resource, "api/minimal/version.ts");
    else this.#plan.add(resource, copy, this.#existing);
    this.#addVersion();
  }

  /** A further version begins as a copy of the first; undefined where that is written in an unusual way. */
  #versionCopy(): string | undefined {
    const { files, kind } = this.#kind;
    return versionCopy(this.#plan.read(this.hubFile) ?? "", {
      from: this.hubFile,
      to: files.resource,
      variable: versionVariable(files, kind.version),
      comment: `// ${kind.kind} as ${kind.version} has it. The definition, with the version that is stored, is ${this.hubFile}.`,
    });
  }

  /** A further version is told to the definition. */
  #addVersion(): void {
    const file = this.hubFile;
    const { files, kind, main } = this.#kind;
    const variable = versionVariable(files, kind.version);
    const from = importPath(file, files.resource);
    const source = this.#plan.read(file);
    const edited =
      source &&
      addNestedProperty(source, "defineResource", "versions", { name: kind.version, value: variable });
    if (edited === source && edited !== undefined) return;
    if (edited) this.#plan.edit(file, addImport(edited, variable, from));
    else
      main.byHand(
        `in ${file}, import { ${variable} } from "${from}" and add versions: { ${kind.version}: ${variable} } to defineResource`,
      );
  }

  addController(): void {
    if (this.#hub) return;
    const { controller, children } = this.#kind.files;
    const folder = `api/${this.isOwn ? this.#template : "foreign"}`;
    this.#add(controller, `${folder}/controller.ts`);
    if (folder === "api/app") this.#add(children, `${folder}/children.ts`);
    this.#add(testOf(controller), `${folder}/controller.test.ts`);
    this.addToMain("controllers");
  }

  /** Tells the manager of the controller, or of a kind without one. */
  addToMain(list: "controllers" | "resources"): void {
    if (this.#hub) return;
    const { files, kind, main } = this.#kind;
    if (list === "controllers") main.add(list, files.controllerName, files.controller);
    else main.add(list, kind.kind, files.resource);
  }

  record(hasController: boolean): void {
    const { namespaced = true } = this.#options;
    const api = this.isOwn ? { namespaced: this.#hub?.api?.namespaced ?? namespaced } : undefined;
    this.#kind.record((before) => ({
      ...before,
      api: before.api ?? api,
      controller: (before.controller ?? false) || (hasController && !this.#hub),
    }));
  }

  get #template(): string {
    return this.#options.template ?? "minimal";
  }

  /** What is recorded was scaffolded, and is the user's since; what is not is in the way. */
  #add(path: string, template: string): void {
    this.#kind.add(path, template, this.#values(), this.#existing);
  }

  get #existing(): Existing {
    return this.#options.force ? "replace" : this.#isRecorded ? "keep" : "refuse";
  }

  #values(): TemplateValues {
    const { files, kind } = this.#kind;
    const { namespaced = true } = this.#options;
    const file = fileName(files.controller);
    return {
      ...this.#kind.values(files.controller),
      version: kind.version,
      camel: files.camel,
      fullGroup: fullGroup(kind),
      lowerKind: kind.kind.toLowerCase(),
      theKind: `the ${kind.kind}`,
      Version: pascalCase(kind.version),
      hubImport: this.hubFile,
      pluralLine: kind.plural === undefined ? "" : `plural: ${JSON.stringify(kind.plural)},`,
      scopeLine: namespaced ? "" : 'scope: "Cluster",',
      // Children of a kind without a namespace have to be somewhere.
      namespaceLine: namespaced ? "" : 'const namespace = "default";',
      namespaceMember: namespaced ? "" : " namespace,",
      namespaceOf: namespaced ? `${files.variable}.metadata.namespace` : "namespace",
      controllerNameLine: files.hasTwin ? `name: ${JSON.stringify(file)},` : "",
      controller: files.controllerName,
      controllerFile: file,
    };
  }
}
