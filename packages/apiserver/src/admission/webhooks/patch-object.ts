// Applies the changes of a mutating webhook or policy, and decodes and defaults the result as an object of its kind.

import { ApiError, apiVersionOf, cloneJson, deepEqual, isObject } from "@kubewright/api";
import { type DraftObject, internalError } from "@kubewright/kinds";
import {
  applyJsonPatch,
  builtInDecoder,
  deducedTypeInfo,
  JsonSyntaxError,
  type MutableObject,
  parseJson,
} from "@kubewright/machinery";

import type { AdmissionTarget } from "../matching/admission-target.js";
import { CallFailure } from "./webhook-failures.js";

/** The operations of a patch; throws a CallFailure when it is none. */
export function decodePatch(webhook: string, patch: string): readonly unknown[] {
  const undecodable = (why: string): CallFailure =>
    new CallFailure(webhook, `received undecodable patch in webhook response: ${why}`);
  const operations = parsed(patch, undecodable) ?? [];
  if (!Array.isArray(operations))
    throw undecodable(`json: cannot unmarshal ${typeof operations} into Go value of type jsonpatch.Patch`);
  for (const operation of operations) {
    if (!isObject(operation))
      throw undecodable(
        `json: cannot unmarshal ${typeof operation} into Go value of type jsonpatch.Operation`,
      );
  }
  return operations;
}

function parsed(patch: string, undecodable: (why: string) => CallFailure): unknown {
  try {
    return parseJson(Buffer.from(patch), false).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw undecodable(error.message);
    throw error;
  }
}

export interface PatchOutcome {
  readonly object: DraftObject;
  /** Whether the patch made a difference. */
  readonly changed: boolean;
}

/** Throws 500 when the patch does not apply, or leaves something that is no object of the kind. */
export function patchObject(
  object: DraftObject,
  operations: readonly unknown[],
  target: AdmissionTarget,
): PatchOutcome {
  const copy = normalized(applied(object, operations), target);
  const changed = !deepEqual(object, copy);
  defaulted(copy, target);
  return { object: copy, changed };
}

/** A patched object as one of its kind, with defaults for what is new. Throws 500 when it is no such object. */
export function normalizedObject(patched: unknown, target: AdmissionTarget): DraftObject {
  const object = normalized(patched, target);
  defaulted(object, target);
  return object;
}

function defaulted(object: DraftObject, target: AdmissionTarget): void {
  strategyOf(target)?.applyDefaults?.(object);
}

/** Unlike a PATCH request, a webhook's patch is answered with the message of the patch library. */
function applied(object: DraftObject, operations: readonly unknown[]): unknown {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw internalError(error.cause instanceof Error ? error.cause.message : error.message, error);
  }
}

function normalized(patched: unknown, target: AdmissionTarget): DraftObject {
  if (!isObject(patched)) throw internalError("the patch does not leave an object");
  const copy = cloneJson(patched as MutableObject);
  normalize(copy, target);
  return copy as unknown as DraftObject;
}

function normalize(object: MutableObject, target: AdmissionTarget): void {
  const { kind } = target;
  if (object["kind"] !== kind.kind || object["apiVersion"] !== apiVersionOf(kind)) {
    const found = `${object["apiVersion"]}, Kind=${object["kind"]}`;
    throw internalError(
      `converting (${found}) to (${apiVersionOf(kind)}, Kind=${kind.kind}): unknown conversion`,
    );
  }
  if (!isObject(object["metadata"])) object["metadata"] = {};
  const { error } = decoderOf(target).normalize(object, undefined);
  if (error !== undefined) throw internalError(error);
}

const viewOf = ({ served, subresource }: AdmissionTarget) => served.subresources.get(subresource)?.view?.kind;

const isResourceItself = ({ kind, served }: AdmissionTarget): boolean =>
  kind.kind === served.kind && kind.group === served.group;

function decoderOf(target: AdmissionTarget) {
  if (isResourceItself(target)) return target.served.decoder;
  return viewOf(target)?.decoder ?? builtInDecoder(target.kind);
}

/** The type info of the kind, for merging. */
export const typeInfoOf = (target: AdmissionTarget) =>
  isResourceItself(target) ? target.served.typeInfo : (viewOf(target)?.typeInfo ?? deducedTypeInfo);

function strategyOf(target: AdmissionTarget) {
  return isResourceItself(target) ? target.served.strategy : viewOf(target)?.strategy;
}
