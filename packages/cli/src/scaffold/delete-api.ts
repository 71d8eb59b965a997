// Takes back what `create api` and `create webhook` made of a kind: its files, its places in main.ts and its record in PROJECT. Files that
// were edited since are the user's.
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "../command.js";
import { ownSamples } from "../manifests/sample-files.js";
import { planApi } from "./create-api.js";
import { planWebhook } from "./create-webhook.js";
import { FilePlan } from "./file-plan.js";
import { importPath, type KindFiles, kindFiles, versionVariable } from "./kind-files.js";
import { testOf } from "./kind-plan.js";
import { type KindOptions, requestedKind } from "./kind-request.js";
import { type FoundProject, formatProject, fullGroup, type ProjectResource } from "./project-file.js";
import { projectTemplates } from "./project-templates.js";
import { removeImport, removeListElement, removeProperty } from "./removed-source.js";
import { importsOf } from "./source-edit.js";
import { render } from "./template.js";
import { tokenize } from "./tokens.js";

export interface DeleteApiOptions extends KindOptions {
  /** Deletes files that were edited, too. */
  readonly force?: boolean | undefined;
}

export interface Deleted {
  readonly removed: readonly string[];
  readonly edited: readonly string[];
  /** What is left to do by hand. */
  readonly manual: readonly string[];
}

const main = "src/main.ts";

/** Deletes all of it, or, with an error that names what is in the way, nothing. */
export async function deleteApi(found: FoundProject, options: DeleteApiOptions): Promise<Deleted> {
  const { directory, project } = found;
  const { kind, recorded } = await requestedKind(project, options, false);
  if (!recorded)
    throw new UsageError(
      `PROJECT has no ${kind.kind} of ${fullGroup(kind)}/${kind.version}; nothing was deleted`,
    );
  const versions = project.resources.filter((other) => isSameKind(other, recorded));
  const [hub = recorded] = versions;
  const isHub = hub === recorded;
  if (isHub && versions.length > 1)
    throw new UsageError(
      `${kind.kind} is defined in ${hub.version}; delete ${versions
        .slice(1)
        .map(({ version }) => version)
        .join(", ")} first`,
    );
  if (!isHub && versions.some(({ webhooks }) => webhooks?.conversion))
    throw new UsageError(
      `${kindFiles(project, hub).conversion} converts ${kind.version}; take it out of there and of PROJECT first`,
    );
  const files = kindFiles(project, recorded);
  const removed = filesOf(files, isHub).filter((path) => existsSync(join(directory, path)));
  if (!options.force) await refuseEdited(found, recorded, removed);
  const plan = new FilePlan(directory);
  const manual = isHub
    ? forgetInMain(plan, files, recorded)
    : forgetVersion(plan, kindFiles(project, hub), files, recorded);
  const resources = project.resources.filter((other) => other !== recorded);
  plan.edit("PROJECT", formatProject({ ...project, resources }));
  const edited = plan.edits().map(({ path }) => path);
  plan.write();
  const samples = samplesOf(directory, recorded);
  if (options.force) removed.push(...samples);
  for (const path of removed) removeFile(directory, path);
  const left = options.force ? [] : samples.map((path) => `${path} is yours and still shows ${kind.kind}`);
  return { removed, edited, manual: [...manual, ...leftImports(directory, removed), ...left] };
}

/** Samples that people wrote or edited, of nothing but what is deleted: generated ones follow with the other manifests. */
function samplesOf(directory: string, { version, kind, ...of }: ProjectResource): readonly string[] {
  const apiVersion = `${fullGroup(of)}/${version}`;
  return [...ownSamples(directory)]
    .filter(
      ([, objects]) =>
        objects.length > 0 && objects.every((each) => each.apiVersion === apiVersion && each.kind === kind),
    )
    .map(([path]) => path);
}

const isSameKind = (one: ProjectResource, other: ProjectResource): boolean =>
  one.kind === other.kind && fullGroup(one) === fullGroup(other);

function filesOf(files: KindFiles, isHub: boolean): readonly string[] {
  const { resource, controller, children, webhook, conversion } = files;
  if (!isHub) return [resource];
  return [
    resource,
    controller,
    testOf(controller),
    children,
    webhook,
    testOf(webhook),
    conversion,
    testOf(conversion),
  ];
}

/** A file is unchanged when it is what scaffolding the kind again would write. */
async function refuseEdited(
  found: FoundProject,
  resource: ProjectResource,
  paths: readonly string[],
): Promise<void> {
  const scaffolded = await scaffoldedTexts(found, resource);
  const edited = paths.filter((path) => {
    const now = readFileSync(join(found.directory, path), "utf8");
    return !scaffolded.some((texts) => texts.get(path) === now);
  });
  if (edited.length > 0)
    throw new UsageError(
      `${edited.join(", ")} ${edited.length === 1 ? "was" : "were"} edited since, so nothing was deleted; --force deletes ${edited.length === 1 ? "it" : "them"}, too`,
    );
}

/** What each template would have written, in a project as it was before the kind was there. */
async function scaffoldedTexts(
  { directory, project }: FoundProject,
  resource: ProjectResource,
): Promise<readonly ReadonlyMap<string, string>[]> {
  const before = { ...project, resources: project.resources.slice(0, project.resources.indexOf(resource)) };
  return Promise.all(
    projectTemplates.map(async (template) => {
      const plan = new FilePlan(join(tmpdir(), `kubewright-nowhere-${process.pid}`));
      plan.add(main, render("project/src/main.ts", { projectName: project.projectName }), "replace");
      const hub = before.resources.find((other) => isSameKind(other, resource));
      if (hub) {
        const file = kindFiles(before, hub).resource;
        const now = readFileSync(join(directory, file), "utf8");
        plan.add(file, withoutVersion(now, file, kindFiles(project, resource), resource) ?? now, "replace");
      }
      const { group, domain, version, kind, plural, api, controller = false, webhooks } = resource;
      const names = {
        ...(domain ? { "api-version": `${group}.${domain}/${version}` } : { group, version }),
        kind,
        plural,
      };
      const scaffold = { directory, project: before };
      await planApi(plan, scaffold, {
        ...names,
        template,
        controller,
        namespaced: api?.namespaced ?? true,
        resource: api ? true : undefined,
      });
      if (webhooks?.defaulting || webhooks?.validation)
        await planWebhook(
          plan,
          { ...before, resources: [...before.resources, resource] },
          { ...names, ...webhooks, conversion: false },
        );
      return new Map(plan.edits().map(({ path, after }) => [path, after]));
    }),
  );
}

/** Controllers are stated even when there are none; other lists only where they have something. */
function withoutEmpty(source: string, list: string): string {
  const isEmpty = list !== "controllers" && new RegExp(`\\b${list}: \\[\\s*\\]`).test(source);
  return isEmpty ? (removeProperty(source, "defineManager", [list]) ?? source) : source;
}

/** Takes the names out of defineManager. */
function forgetInMain(plan: FilePlan, files: KindFiles, { kind }: ProjectResource): readonly string[] {
  const manual: string[] = [];
  for (const [list, name, file] of [
    ["controllers", files.controllerName, files.controller],
    ["resources", kind, files.resource],
    ["webhooks", files.webhookName, files.webhook],
    ["webhooks", files.conversionName, files.conversion],
  ] as const) {
    const source = plan.read(main) ?? "";
    const edited = removeListElement(source, "defineManager", list, name);
    const from = importPath(main, file);
    if (edited !== undefined) plan.edit(main, removeImport(withoutEmpty(edited, list), name, from));
    else if (source.includes(name)) manual.push(`in ${main}, take ${name} out of ${list} of defineManager`);
  }
  return manual;
}

/** Takes a further version out of the definition. */
function forgetVersion(
  plan: FilePlan,
  hub: KindFiles,
  files: KindFiles,
  resource: ProjectResource,
): readonly string[] {
  const edited = withoutVersion(plan.read(hub.resource) ?? "", hub.resource, files, resource);
  if (edited === undefined)
    return [`in ${hub.resource}, remove ${resource.version} from versions of defineResource`];
  plan.edit(hub.resource, edited);
  return [];
}

/** The source of a definition without a further version; undefined where it is written another way. */
function withoutVersion(
  source: string,
  path: string,
  files: KindFiles,
  { version }: ProjectResource,
): string | undefined {
  const edited = removeProperty(source, "defineResource", ["versions", version]);
  return edited && removeImport(edited, versionVariable(files, version), importPath(path, files.resource));
}

/** And the folders that are empty without it. */
function removeFile(directory: string, path: string): void {
  rmSync(join(directory, path));
  const folder = dirname(path);
  if (/^src\/api\/./.test(folder) && readdirSync(join(directory, folder)).length === 0)
    rmdirSync(join(directory, folder));
}

/** What still imports a file that is gone. */
function leftImports(directory: string, removed: readonly string[]): readonly string[] {
  const sources = readdirSync(join(directory, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `src/${path.split("\\").join("/")}`);
  return sources.flatMap((path) => {
    const modules = importsOf(tokenize(readFileSync(join(directory, path), "utf8"))).map(
      ({ module }) => module,
    );
    return removed
      .filter((gone) => modules.includes(importPath(path, gone)))
      .map((gone) => `${path} imports ${gone}, which is gone`);
  });
}
