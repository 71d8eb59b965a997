// PATCH, in its four forms.
import { apiVersionOf, formatTime, type TransportResponse } from "@kubewright/api";
import { applyConfiguration } from "../apply/index.js";
import { decodeBody, isObject, type MutableObject } from "../codec/index.js";
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from "../patch/index.js";
import { createObject } from "../registry/create-object.js";
import { trackOwnership } from "../registry/ownership.js";
import type { ResourceKind, Subresource, View } from "../registry/resource-kind.js";
import { subjectOf } from "../registry/resource-kind.js";
import { type UpdateTarget, updateObject } from "../registry/update-object.js";
import { type WriteOptions, writeOptions } from "../registry/write-options.js";
import { headerOf, type RequestContext } from "../request/context.js";
import { cloneJson, type DraftObject } from "../request/draft.js";
import { badRequest, invalid, notFound, unsupportedMediaType } from "../request/failures.js";
import type { StoredObject } from "../storage/index.js";
import { asDraft } from "./decode.js";
import { negotiateFor, respondAs } from "./represent.js";
import { throughView, updateTarget } from "./write.js";

const mediaTypes = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
} as const;

type PatchType = (typeof mediaTypes)[keyof typeof mediaTypes];

export async function patchObject(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
  subresource?: Subresource,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context);
  const view = subresource?.view;
  const shape = view?.kind ?? kind;
  const type = patchType(context, shape);
  const options = writeOptions(context, "PatchOptions", type === "apply");
  const target = updateTarget(kind, namespace, name, subresource);
  const patch = readPatch(context, shape, type);
  if (type === "apply") {
    const { object, created } = await applyPatch(context, target, view, options, patch);
    return respondAs(context, kind, view, object, created ? 201 : 200, negotiated);
  }
  const { object } = await updateObject(context, target, options, (current) => {
    if (!current) throw notFound(subjectOf(kind, name));
    const live = view ? view.toView(current) : current;
    const next = fitted(context, shape, patched(live, patch, type, shape), options);
    trackOwnership(context, shape, target.strategy, live, next, options, target.subresource);
    return throughView(view, next, live, current);
  });
  return respondAs(context, kind, view, object, 200, negotiated);
}

/** Custom kinds have no Go types, hence no strategic merge. */
function patchType(context: RequestContext, kind: ResourceKind): PatchType {
  const mediaType = (headerOf(context, "content-type") ?? "").split(";", 1)[0]?.trim() ?? "";
  const all = Object.entries(mediaTypes);
  const found = all.find(([name]) => name === mediaType);
  if (!found) throw unsupportedMediaType("415: Unsupported Media Type", {});
  if (!(kind.custom && found[1] === "strategic")) return found[1];
  const names = all.filter(([, type]) => type !== "strategic").map(([name]) => name);
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${names.join(", ")}`,
  );
}

function readPatch(context: RequestContext, kind: ResourceKind, type: PatchType): unknown {
  const { body } = context.request;
  if (!body) throw badRequest("no patch was given");
  if (body.kind === "object") return body.value;
  const contentType = type === "apply" ? "application/yaml" : "application/json";
  if (type === "json") {
    try {
      return JSON.parse(new TextDecoder().decode(body.bytes));
    } catch (error) {
      throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return decodeBody(body.bytes, contentType, { gvk: kind, reportDuplicates: false }).value;
}

function patched(current: StoredObject, patch: unknown, type: PatchType, kind: ResourceKind): unknown {
  if (type === "json") return applyJsonPatch(current, patch);
  if (type === "merge") return applyMergePatch(current, patch);
  return applyStrategicMergePatch(current, patch, kind.facts);
}

/** A patched object is decoded anew: fields the kind does not have go, defaults come. */
function fitted(
  context: RequestContext,
  kind: ResourceKind,
  value: unknown,
  options: WriteOptions,
): DraftObject {
  const copy: unknown = cloneJson(value);
  if (!isObject(copy)) throw badRequest("the patch does not leave an object");
  const refuse = (text: string): never => {
    const message = `Invalid value: ${JSON.stringify(JSON.stringify(value))}: ${text}`;
    throw invalid({ group: "", kind: "" }, "", [{ field: "patch", reason: "FieldValueInvalid", message }]);
  };
  if (copy["kind"] !== kind.kind || copy["apiVersion"] !== apiVersionOf(kind))
    refuse(notThisKind(copy, kind));
  const { error, unknownFields } = kind.target.fit(copy, undefined);
  if (error !== undefined) refuse(error);
  const texts = unknownFields.map((field) => `unknown field "${field}"`);
  if (texts.length > 0 && options.fieldValidation === "Strict")
    refuse(`strict decoding error: ${texts.join(", ")}`);
  if (options.fieldValidation === "Warn") context.warnings.push(...texts);
  const draft = asDraft(copy);
  kind.strategy.applyDefaults?.(draft);
  return draft;
}

function notThisKind(object: MutableObject, kind: ResourceKind): string {
  const found = `${object["apiVersion"]}, Kind=${object["kind"]}`;
  return `the API version in the data (${found}) does not match the expected API version (${apiVersionOf(kind)}, Kind=${kind.kind})`;
}

async function applyPatch(
  context: RequestContext,
  target: UpdateTarget,
  view: View | undefined,
  options: WriteOptions,
  patch: unknown,
) {
  const { kind, name, namespace } = target;
  const shape = view?.kind ?? kind;
  const applied = checkApplied(patch, { ...target, kind: shape });
  const merge = (live: StoredObject | undefined) =>
    applyConfiguration({
      live,
      applied,
      facts: shape.facts,
      manager: options.fieldManager,
      force: options.force,
      apiVersion: apiVersionOf(shape),
      kind: shape.kind,
      time: formatTime(context.services.clock.now()),
      subresource: target.subresource,
      resetFields: target.strategy.resetFields,
    });
  const { storage } = context.services;
  const exists = storage.get(kind.storage, kind.scope === "Cluster" ? name : `${namespace}/${name}`);
  if (!exists && !target.subresource) {
    const draft = fitted(context, kind, merge(undefined).object, options);
    const object = await createObject(context, kind, draft, namespace, options, true);
    return { object, created: true };
  }
  return updateObject(context, target, options, (current) => {
    if (!current) throw notFound(subjectOf(kind, name));
    const live = view ? view.toView(current) : current;
    const { object } = merge(live);
    const next = object === live ? (cloneJson(live) as DraftObject) : fitted(context, shape, object, options);
    return throughView(view, next, live, current);
  });
}

function checkApplied(patch: unknown, { kind, name, namespace }: UpdateTarget): MutableObject {
  if (!isObject(patch)) throw badRequest("the applied configuration is not an object");
  const copy = cloneJson(patch) as MutableObject;
  if (copy["apiVersion"] !== apiVersionOf(kind) || copy["kind"] !== kind.kind) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${copy["apiVersion"]}, expected: ${apiVersionOf(kind)}`,
    );
  }
  if (!isObject(copy["metadata"])) copy["metadata"] = {};
  const { metadata } = copy;
  if (isObject(metadata)) {
    metadata["name"] ??= name;
    if (namespace && kind.scope === "Namespaced") metadata["namespace"] ??= namespace;
    if (metadata["name"] !== name) {
      throw badRequest(
        `the name of the object (${metadata["name"]}) does not match the name on the URL (${name})`,
      );
    }
  }
  return copy;
}
