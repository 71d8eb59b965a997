// The objects of a request in the version a webhook or policy asked for.

import { apiVersionOf, cloneJson } from "@kubewright/api";
import { type DraftObject, type StoredObject, unstored } from "@kubewright/kinds";

import type { RequestContext } from "../../registry/request-context.js";
import type { ResourceKind } from "../../registry/resource-kind.js";
import { readServed, toStored } from "../../registry/served-version.js";
import type { AdmissionTarget } from "./admission-target.js";

/** The object as another version of its resource has it; itself where both are the same. */
export async function inVersion<T extends DraftObject | StoredObject | undefined>(
  context: RequestContext,
  object: T,
  from: AdmissionTarget,
  to: AdmissionTarget,
): Promise<T | StoredObject> {
  if (!object || from.served === to.served || showsOtherKind(from)) return object;
  return convert(context, object, from.served, to.served);
}

/** A subresource with a kind of its own is the same in all versions of the resource. */
const showsOtherKind = ({ kind, served }: AdmissionTarget): boolean =>
  kind.kind !== served.kind || kind.group !== served.group;

async function convert(
  context: RequestContext,
  object: DraftObject | StoredObject,
  from: ResourceKind,
  to: ResourceKind,
): Promise<StoredObject> {
  const stored = await toStored(context, from, cloneJson(object) as DraftObject);
  const served = await readServed(context, to, unstored(stored));
  return { ...served, apiVersion: apiVersionOf(to), kind: to.kind };
}
