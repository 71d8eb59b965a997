// Query parameters that all writes share, refused as kube-apiserver refuses them.

import { type FieldError, fieldError } from "@kubewright/api";
import { invalid } from "@kubewright/kinds";
import type { FieldValidation } from "@kubewright/machinery";

import { booleanParameter } from "../request/query-parameters.js";
import { headerOf, type RequestContext } from "./request-context.js";
import {
  fieldManagerLimit,
  isPrintable,
  isUsualManager,
  validateFieldManager,
} from "./validate-field-managers.js";

export { integerParameter } from "../request/query-parameters.js";

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The field manager of the written fields. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

/** Parses and checks; throws 422 naming the parameter. */
export function writeOptions(context: RequestContext, kind: OptionsKind, isApply = false): WriteOptions {
  const { query } = context;
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const force = booleanParameter(query, "force");
  const errors: FieldError[] = [
    ...(kind === "PatchOptions" ? patchErrors(isApply, force, fieldManager) : []),
    ...validateFieldManager(fieldManager, "fieldManager"),
    ...dryRunErrors(dryRun),
    ...fieldValidationErrors(fieldValidation),
  ];
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: fieldManager || managerFromUserAgent(headerOf(context, "user-agent")),
    fieldValidation: isFieldValidation(fieldValidation) ? fieldValidation : "Warn",
    force: force ?? false,
  };
}

/** Without a field manager, the part of the user agent before the first slash stands in, as far as it prints and fits. */
export function managerFromUserAgent(userAgent = ""): string {
  const slash = userAgent.indexOf("/");
  const product = slash === -1 ? userAgent : userAgent.slice(0, slash);
  if (isUsualManager(product)) return product || "unknown";
  let manager = "";
  for (const character of product) {
    if (!isPrintable(character)) continue;
    if (Buffer.byteLength(manager + character) > fieldManagerLimit) break;
    manager += character;
  }
  return manager || "unknown";
}

function patchErrors(isApply: boolean, force: boolean | undefined, fieldManager: string): FieldError[] {
  if (!isApply && force !== undefined)
    return [fieldError.forbidden("force", "may not be specified for non-apply patch")];
  if (isApply && fieldManager === "")
    return [fieldError.required("fieldManager", "is required for apply patch")];
  return [];
}

export function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === "All")) return [];
  return [fieldError.notSupported("dryRun", values, ["All"])];
}

function fieldValidationErrors(value: string): FieldError[] {
  if (value === "" || isFieldValidation(value)) return [];
  return [fieldError.notSupported("fieldValidation", value, ["", "Ignore", "Strict", "Warn"])];
}

const isFieldValidation = (value: string): value is FieldValidation =>
  value === "Ignore" || value === "Warn" || value === "Strict";
