// Checks of every request to a custom resource, before it is dispatched. The messages are those of apiextensions-apiserver, which differ
// from those for built-in kinds.

import {
  ApiError,
  type CustomResourceDefinition,
  type CustomResourceDefinitionSpec,
  type CustomResourceDefinitionVersion,
} from "@kubewright/api";
import { badRequest, notFound, PageNotFound } from "@kubewright/kinds";
import { compareVersions } from "../discovery/index.js";

import type { ResourceKind } from "../registry/resource-kind.js";
import type { ResourceRequestInfo, Verb } from "../request/request-info.js";

type RequestRules = NonNullable<ResourceKind["preflight"]>;

/** The rules for one version. */
export function customRequestRules(
  { spec }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): RequestRules {
  const { group, names, scope } = spec;
  const warning = deprecationWarning(version, spec);
  const refused = (verb: Verb): ApiError =>
    new ApiError(`${verb} is not supported on resources of kind "${names.plural}.${group}"`, {
      code: 405,
      reason: "MethodNotAllowed",
      details: { group, kind: names.plural },
    });
  return (context, info) => {
    const { verb, name, subresource } = info;
    if (!isInScope(scope, info)) throw new PageNotFound();
    if (warning !== undefined) context.warnings.push(warning);
    if (subresource !== undefined && !hasSubresource(version, subresource))
      throw notFound({ group, resource: names.plural, name: name ?? "" });
    if (!isSupported(info)) throw refused(verb);
    if (changesNothing(info)) throw badRequest("name must be provided");
  };
}

/** Only lists and watches look across namespaces. */
function isInScope(scope: string, { verb, namespace }: ResourceRequestInfo): boolean {
  if (scope === "Cluster") return namespace === undefined;
  return namespace !== undefined || verb === "list" || verb === "watch";
}

const changesNothing = ({ verb, name }: ResourceRequestInfo): boolean =>
  name === undefined && (verb === "update" || verb === "patch");

function hasSubresource({ subresources }: CustomResourceDefinitionVersion, name: string): boolean {
  return subresources !== undefined && Object.hasOwn(subresources, name);
}

function isSupported({ verb, subresource }: ResourceRequestInfo): boolean {
  if (subresource !== undefined) return verb === "get" || verb === "update" || verb === "patch";
  return verb !== "connect";
}

/** The deprecation warning of a version; undefined where it is not deprecated. */
function deprecationWarning(
  version: CustomResourceDefinitionVersion,
  { group, names, versions }: CustomResourceDefinitionSpec,
): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const [better] = versions
    .filter(({ served, deprecated }) => served && !deprecated)
    .map(({ name }) => name)
    .filter((name) => compareVersions(name, version.name) < 0)
    .sort(compareVersions);
  const advice = better === undefined ? "" : `; use ${group}/${better} ${names.kind}`;
  return `${group}/${version.name} ${names.kind} is deprecated${advice}`;
}
