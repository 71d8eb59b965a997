// A new project, complete: it builds, lints, tests and runs as it is written.
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { UsageError } from "../command.js";
import { planApi } from "./create-api.js";
import { type FeatureName, featureSettings, planFeatures } from "./features.js";
import { type FileChange, FilePlan } from "./file-plan.js";
import { checkDomain, checkProjectName } from "./names.js";
import { packageSource } from "./package-source.js";
import { formatProject, type Project, projectVersion } from "./project-file.js";
import { render, templatesUnder } from "./template.js";
import { toolVersions } from "./tool-versions.js";

/** What `init` can be told. */
export interface InitOptions {
  readonly directory: string;
  readonly domain: string;
  /** Default: the name of the folder. */
  readonly projectName?: string | undefined;
  readonly template?: string | undefined;
  readonly owner?: string | undefined;
  /** Where the sources will be: `github.com/me/my-operator`. */
  readonly repo?: string | undefined;
  readonly features?: readonly FeatureName[] | undefined;
  readonly force?: boolean | undefined;
}

/** What was written where. */
export interface InitResult {
  readonly directory: string;
  readonly projectName: string;
  readonly changes: readonly FileChange[];
}

/** The name a project gets by the folder it is in. */
export function projectNameFor(directory: string): string {
  return basename(resolve(directory))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

/** Writes a project, all of it or nothing. */
export async function initProject(options: InitOptions): Promise<InitResult> {
  const directory = resolve(options.directory);
  const projectName = options.projectName ?? projectNameFor(directory);
  checkDomain(options.domain);
  checkProjectName(projectName);
  refuseOccupied(directory, options.force ?? false);
  const source = packageSource(directory);
  const project: Project = {
    projectName,
    domain: options.domain,
    version: projectVersion,
    cliVersion: source.version,
    resources: [],
  };
  const plan = new FilePlan(directory);
  const existing = options.force ? "replace" : "refuse";
  const values = projectValues(projectName, source.specifier);
  for (const path of templatesUnder("project"))
    plan.add(path, finished(path, render(`project/${path}`, values), options), existing);
  for (const folder of ["src/api", "src/controllers", "src/webhooks"])
    plan.add(`${folder}/.gitkeep`, "", "keep");
  planFeatures(plan, options.features ?? [], { projectName, existing });
  for (const [path, text] of await firstConfig(directory, projectName, options.features ?? []))
    plan.add(path, text, existing);
  plan.add("PROJECT", formatProject(project), existing);
  if (options.template === "app")
    await planApi(plan, { directory, project }, { ...appKind, template: "app", force: options.force });
  return { directory, projectName, changes: plan.write() };
}

/** config/ as `kubewright manifests` writes it for an operator without kinds. */
async function firstConfig(
  directory: string,
  name: string,
  names: readonly FeatureName[],
): Promise<readonly (readonly [string, string])[]> {
  const [{ defineManager }, { configFiles }, { sealed }, { manifestSettings }, { operatorOf }] =
    await Promise.all([
      import("@kubewright/runtime"),
      import("../manifests/config-files.js"),
      import("../manifests/generated-file.js"),
      import("../manifests/manifest-settings.js"),
      import("../manifests/operator.js"),
    ]);
  const manager = defineManager({ name, controllers: [], leaderElection: true });
  const settings = { ...manifestSettings(directory, name), ...featureSettings(names) };
  const files = configFiles(operatorOf(manager, settings));
  return [...files].map(([path, body]) => [path, sealed(body, path)]);
}

const appKind = { group: "web", version: "v1", kind: "App" };

/** The owner and the repository go where npm looks for them. */
function finished(path: string, text: string, { owner, repo }: InitOptions): string {
  if (path !== "package.json" || (owner === undefined && repo === undefined)) return text;
  const manifest: unknown = JSON.parse(text);
  const fields = {
    ...(owner === undefined ? {} : { author: owner }),
    ...(repo === undefined
      ? {}
      : { repository: { type: "git", url: `git+https://${repo.replace(/^https?:\/\//, "")}.git` } }),
  };
  return `${JSON.stringify({ ...(typeof manifest === "object" ? manifest : {}), ...fields }, undefined, 2)}\n`;
}

function projectValues(projectName: string, specifier: (name: string) => string): Record<string, string> {
  return {
    projectName,
    apiPackage: specifier("@kubewright/api"),
    runtimePackage: specifier("@kubewright/runtime"),
    schemaPackage: specifier("@kubewright/schema"),
    testingPackage: specifier("@kubewright/testing"),
    cliPackage: specifier("kubewright"),
    ...toolVersions,
  };
}

/** Refuses a folder that somebody else's files are in. Version control may be there before the project is. */
export function refuseOccupied(folder: string, force: boolean): void {
  const directory = resolve(folder);
  if (!existsSync(directory)) return;
  if (!statSync(directory).isDirectory()) throw new UsageError(`${directory} is a file`);
  if (force) return;
  if (existsSync(join(directory, "PROJECT")))
    throw new UsageError(
      `${directory} is a project already; kubewright create api adds a kind to it (--force starts over)`,
    );
  const [found] = readdirSync(directory).filter((name) => name !== ".git");
  if (found !== undefined)
    throw new UsageError(
      `${directory} is not empty (it has ${found}); name another folder, or use --force to overwrite what is in the way`,
    );
}
