// Admission of CONNECT requests to pods, nodes and services; the admitted object is the options of the connection.

import type { DraftObject } from "@kubewright/kinds";
import type { RequestContext } from "../registry/request-context.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { ResourceRequestInfo } from "../request/request-info.js";
import { targetIn } from "./matching/admission-target.js";

/** Refuses by throwing. Changes of the options have no effect: the kubelet reads the query itself. */
export async function admitConnection(
  context: RequestContext,
  kind: ResourceKind,
  { verb, name = "", namespace, subresource, subpath }: ResourceRequestInfo,
): Promise<void> {
  if (verb !== "connect") return;
  const { admission } = context.services;
  const { kind: optionsKind } = targetIn(kind, subresource).kind;
  const options = Object.entries(optionsOf(optionsKind, context.query, subpath));
  const object = {
    kind: optionsKind,
    apiVersion: "v1",
    ...Object.fromEntries(options.filter(([, value]) => value !== undefined)),
  };
  const request = {
    operation: "CONNECT" as const,
    kind,
    subresource,
    name,
    namespace,
    // Options have no metadata; plugins that handle CONNECT do not read it.
    object: object as unknown as DraftObject,
    oldObject: undefined,
    dryRun: false,
    context,
  };
  await admission.mutate(request);
  await admission.validate(request);
}

/** The options a connection has, by their kind. */
function optionsOf(
  kind: string,
  query: URLSearchParams,
  subpath: string | undefined,
): Record<string, unknown> {
  switch (kind) {
    case "PodExecOptions":
      return { ...streams(query), command: listOf(query.getAll("command")) };
    case "PodAttachOptions":
      return streams(query);
    case "PodPortForwardOptions":
      return { ports: listOf(query.getAll("ports").flatMap((ports) => ports.split(",").map(Number))) };
    default:
      return { path: subpath === undefined ? undefined : `/${subpath}` };
  }
}

/** Streams are off by default, except stdout. */
function streams(query: URLSearchParams): Record<string, unknown> {
  const flag = (name: string, fallback = false): true | undefined => {
    const value = query.get(name);
    const wanted = value === null ? fallback : value !== "false" && value !== "0";
    return wanted || undefined;
  };
  return {
    stdin: flag("stdin"),
    stdout: flag("stdout", true),
    stderr: flag("stderr", true),
    tty: flag("tty"),
    container: query.get("container") || undefined,
  };
}

const listOf = <T>(items: readonly T[]): readonly T[] | undefined => (items.length > 0 ? items : undefined);
