// Which kind a command line means: a built-in one, one of the project, or one to be.
import type { ResourceDescriptor } from "@kubewright/api";
import { UsageError } from "../command.js";
import { nearest } from "../nearest.js";
import { checkGroup, checkKind, checkPlural, checkVersion } from "./names.js";
import { fullGroup, type Project, type ProjectResource } from "./project-file.js";

/** The options that name a kind. */
export interface KindOptions {
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly kind?: string | undefined;
  /** `group/version` in one, as operator-sdk takes it; the group is the full one. */
  readonly "api-version"?: string | undefined;
  readonly plural?: string | undefined;
}

/** The kind that was asked for, as PROJECT would have it. */
export interface RequestedKind {
  readonly kind: ProjectResource;
  /** Set for kinds of Kubernetes itself. */
  readonly builtin: ResourceDescriptor | undefined;
  /** As PROJECT has it already. */
  readonly recorded: ProjectResource | undefined;
}

/** Reads and checks which kind is meant. With `own`, a kind of the project even where Kubernetes has one like it. */
export async function requestedKind(
  project: Project,
  options: KindOptions,
  own: boolean,
): Promise<RequestedKind> {
  const { group, version, kind } = names(project, options);
  checkVersion(version);
  checkKind(kind);
  checkGroup(group.short);
  if (options.plural !== undefined) checkPlural(options.plural);
  const isImported = project.resources.some(
    (each) => each.external && fullGroup(each) === group.full && each.kind === kind,
  );
  const builtin = own || isImported ? undefined : await findBuiltin(group.short, group.full, version, kind);
  const found: ProjectResource = builtin
    ? { group: builtin.group, version, kind }
    : { group: group.short, domain: group.domain, version, kind, plural: options.plural };
  const recorded = project.resources.find((other) => isSame(other, found));
  await refuseClashes(project, found);
  return { kind: recorded ?? found, builtin, recorded };
}

function names(project: Project, options: KindOptions) {
  const [fullName, versionOf, ...more] = options["api-version"]?.split("/") ?? [];
  if (more.length > 0 || (options["api-version"] !== undefined && !versionOf))
    throw new UsageError(
      `--api-version ${options["api-version"]}: GROUP/VERSION is needed, such as app.example.com/v1`,
    );
  const version = options.version ?? versionOf;
  const missing = [
    options.group === undefined && fullName === undefined ? "--group" : undefined,
    version === undefined ? "--version" : undefined,
    options.kind === undefined ? "--kind" : undefined,
  ].filter(Boolean);
  if (missing.length > 0 || version === undefined || options.kind === undefined)
    throw new UsageError(`${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`);
  return { group: groupNames(project, options.group, fullName), version, kind: options.kind };
}

/** `shop` is completed by the domain; a full group, and one that kinds were imported of, is split by it, or taken as it is. */
function groupNames({ domain, resources }: Project, given: string | undefined, full: string | undefined) {
  const isImported = resources.some((each) => each.external && fullGroup(each) === given);
  const [short, whole] = isImported ? [undefined, given ?? ""] : [given, full ?? ""];
  if (short !== undefined) {
    const isFull = short.endsWith(`.${domain}`);
    const own = isFull ? short.slice(0, -domain.length - 1) : short;
    return { short: own, domain, full: [own, domain].filter(Boolean).join(".") };
  }
  if (whole.endsWith(`.${domain}`)) return { short: whole.slice(0, -domain.length - 1), domain, full: whole };
  const dot = whole.indexOf(".");
  return dot < 0
    ? { short: whole, domain: undefined, full: whole }
    : { short: whole.slice(0, dot), domain: whole.slice(dot + 1), full: whole };
}

/** Groups of Kubernetes may be named short: `core`, `apps`, `networking`. */
async function findBuiltin(
  short: string,
  full: string,
  version: string,
  kind: string,
): Promise<ResourceDescriptor | undefined> {
  const { builtinResources } = await import("@kubewright/api");
  const wanted = short === "core" ? "" : short;
  const isGroup = ({ group }: ResourceDescriptor) =>
    group === wanted || group === full || (wanted !== "" && group === `${wanted}.k8s.io`);
  const inGroup = builtinResources.filter(isGroup);
  const found = inGroup.find((resource) => resource.kind === kind && resource.version === version);
  if (found || inGroup.length === 0) return found;
  const sameKind = inGroup.filter((resource) => resource.kind === kind);
  if (sameKind.length > 0)
    throw new UsageError(
      `--version ${version}: ${kind} of ${short || "core"} is served as ${sameKind.map((r) => r.version).join(", ")}; to define your own kind in ${full}, add --resource`,
    );
  const near = nearest(kind, new Set(inGroup.map((resource) => resource.kind)));
  if (near !== undefined && short !== full)
    throw new UsageError(
      `--kind ${kind}: the group ${short} of Kubernetes has ${near}; to define your own kind in ${full}, add --resource`,
    );
  return undefined;
}

const isSame = (a: ProjectResource, b: ProjectResource): boolean =>
  fullGroup(a) === fullGroup(b) && a.version === b.version && a.kind === b.kind;

/** Two kinds of a group cannot share a plural, nor be told apart by case alone: they would share files. */
async function refuseClashes({ resources }: Project, wanted: ProjectResource): Promise<void> {
  const others = resources.filter(
    (other) => fullGroup(other) === fullGroup(wanted) && other.kind !== wanted.kind,
  );
  if (others.length === 0) return;
  const { pluralOf } = await import("@kubewright/schema");
  const plural = (resource: ProjectResource) => resource.plural ?? pluralOf(resource.kind);
  for (const other of others) {
    if (other.kind.toLowerCase() === wanted.kind.toLowerCase())
      throw new UsageError(
        `--kind ${wanted.kind}: ${fullGroup(wanted)} has ${other.kind} already, which differs only in case`,
      );
    if (plural(other) === plural(wanted))
      throw new UsageError(
        `${other.kind} of ${fullGroup(wanted)} has the plural ${plural(wanted)} already; choose another with --plural`,
      );
  }
}
