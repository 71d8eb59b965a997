// PROJECT is the record of what was scaffolded, in the form kubebuilder gives it. Later commands read it; people may too.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isObject } from "@kubewright/api";
import { parseDocument, stringify } from "yaml";
import { UsageError } from "../command.js";
import { isKindName, isLabel, isSubdomain } from "./names.js";

/** A kind that was scaffolded. */
export interface ProjectResource {
  /** Without the domain: `shop` of `shop.example.com`. */
  readonly group: string;
  /** What follows the group; absent for built-in kinds. */
  readonly domain?: string | undefined;
  readonly version: string;
  readonly kind: string;
  readonly plural?: string | undefined;
  /** True for a kind of somebody else whose definition was imported. */
  readonly external?: boolean | undefined;
  /** Where its definition is, where that is not where the project's own would be. */
  readonly path?: string | undefined;
  /** Absent where the kind is somebody else's. */
  readonly api?: { readonly namespaced: boolean } | undefined;
  readonly controller?: boolean | undefined;
  readonly webhooks?: ProjectWebhooks | undefined;
}

/** Which webhooks a kind has. */
export interface ProjectWebhooks {
  readonly defaulting?: boolean | undefined;
  readonly validation?: boolean | undefined;
  readonly conversion?: boolean | undefined;
}

/** What PROJECT says. */
export interface Project {
  readonly projectName: string;
  readonly domain: string;
  /** The form of the file and the layout of the project; `kubewright upgrade` moves it forward. */
  readonly version: string;
  /** The version of kubewright that wrote the project last. */
  readonly cliVersion?: string | undefined;
  /** Whether every group has a folder of its own under src/api; the first has none otherwise. */
  readonly multigroup?: boolean | undefined;
  readonly resources: readonly ProjectResource[];
}

/** A project and the folder it is in. */
export interface FoundProject {
  readonly directory: string;
  readonly project: Project;
}

/** The newest form of PROJECT. */
export const projectVersion = "1";

const header =
  "# What kubewright has scaffolded here. `kubewright create` and `kubewright upgrade` read and write it.\n";

/** The project around a folder. Throws a UsageError where there is none, or where it cannot be read. */
export function findProject(from = process.cwd()): FoundProject {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    const file = join(directory, "PROJECT");
    if (existsSync(file)) return { directory, project: parseProject(readFileSync(file, "utf8"), file) };
    if (directory === dirname(directory))
      throw new UsageError(
        "there is no PROJECT file here or above; run this in a project, or make one with kubewright init",
      );
  }
}

/** Reads PROJECT. Throws a UsageError that says what is wrong with it. */
export function parseProject(text: string, file = "PROJECT"): Project {
  const document = parseDocument(text);
  const [problem] = document.errors;
  const broken = (what: string) =>
    new UsageError(`${file} is broken: ${what}; fix it, or restore it from version control`);
  if (problem) throw broken(problem.message.split("\n")[0] ?? problem.message);
  const content: unknown = document.toJS({ maxAliasCount: 0 });
  if (!isObject(content)) throw broken("it is not a map");
  for (const field of ["projectName", "domain", "version"])
    if (typeof content[field] !== "string" || content[field] === "") throw broken(`${field} is not a text`);
  if (!isLabel(String(content["projectName"]))) throw broken("projectName is not a name");
  if (!isSubdomain(String(content["domain"]))) throw broken("domain is not a domain");
  const { resources = [] } = content;
  if (!Array.isArray(resources)) throw broken("resources is not a list");
  for (const [index, resource] of resources.entries()) {
    if (!isResource(resource)) throw broken(`resources[${index}] lacks group, version or kind`);
    const wrong = wrongField(resource);
    if (wrong !== undefined) throw broken(`resources[${index}].${wrong} is not one that kubewright writes`);
  }
  return { ...(content as unknown as Project), resources };
}

/** PROJECT as it is written: stable, so that nothing changes when nothing changed. */
export function formatProject(project: Project): string {
  const { projectName, domain, version, cliVersion, multigroup, resources } = project;
  return (
    header +
    stringify(
      {
        projectName,
        domain,
        version,
        ...(cliVersion ? { cliVersion } : {}),
        layout: ["kubewright.dev/v1"],
        ...(multigroup ? { multigroup } : {}),
        ...(resources.length > 0 ? { resources: resources.map(ordered) } : {}),
      },
      { lineWidth: 0, defaultStringType: "PLAIN" },
    )
  );
}

function ordered(resource: ProjectResource): object {
  const { api, controller, domain, external, group, kind, path, plural, version, webhooks } = resource;
  const all = { api, controller, domain, external, group, kind, path, plural, version, webhooks };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined && value !== false),
  );
}

/** `shop.example.com`, or the group alone for built-in kinds. */
export function fullGroup({ group, domain }: Pick<ProjectResource, "group" | "domain">): string {
  return [group, domain].filter(Boolean).join(".");
}

/** Checks names before they become code and paths, since the file may be edited by hand; returns the first field that is wrong. */
function wrongField({ group, domain, version, kind, plural, path }: ProjectResource): string | undefined {
  const isPath = (text: string): boolean => !/["'`$\\\p{Cc}\u2028\u2029]/u.test(text);
  const fields: readonly (readonly [string, string | undefined, (text: string) => boolean])[] = [
    ["group", group || undefined, isSubdomain],
    ["domain", domain, isSubdomain],
    ["version", version, isLabel],
    ["kind", kind, isKindName],
    ["plural", plural, isLabel],
    ["path", path, isPath],
  ];
  return fields.find(([, text, isRight]) => text !== undefined && !isRight(String(text)))?.[0];
}

function isResource(value: unknown): value is ProjectResource {
  return (
    isObject(value) &&
    typeof value["group"] === "string" &&
    typeof value["version"] === "string" &&
    typeof value["kind"] === "string"
  );
}
