// The selectors of webhooks and policies: which namespaces, and which objects.

import { ApiError, type LabelMatcher, type ObjectMeta } from "@kubewright/api";
import { notFound } from "@kubewright/kinds";

import type { AdmissionRequest } from "../../registry/admission-control.js";
import { isNamespaceKind, namespaceOf } from "./admission-target.js";

/** Whether a selector matches, or why that cannot be decided, which counts only when everything else matches. */
export type SelectorMatch = boolean | ApiError;

/** Cluster-scoped objects are never left out; a namespace counts by the labels it is to have. */
export function namespaceSelected(selector: LabelMatcher, request: AdmissionRequest): SelectorMatch {
  const namespace = namespaceOf(request);
  if (namespace === "" && !isNamespaceKind(request.kind)) return true;
  if (selectsAll(selector)) return true;
  const labels = namespaceLabels(request, namespace);
  return labels instanceof ApiError ? labels : selector.matches(labels);
}

function namespaceLabels(request: AdmissionRequest, name: string): ObjectMeta["labels"] | ApiError {
  const { kind, subresource, operation, object, context } = request;
  const isWritten = operation === "CREATE" || operation === "UPDATE";
  if (isNamespaceKind(kind) && subresource === undefined && isWritten) return object?.metadata.labels;
  const found = context.services.storage.get("namespaces", name);
  return found ? found.metadata.labels : notFound({ group: "", resource: "namespaces", name });
}

/** The new object or the old one must match. */
export function objectSelected(
  selector: LabelMatcher,
  { object, oldObject }: Pick<AdmissionRequest, "object" | "oldObject">,
): boolean {
  if (selectsAll(selector)) return true;
  const selected = (candidate: { readonly metadata?: ObjectMeta | undefined } | undefined): boolean =>
    candidate !== undefined && selector.matches(candidate.metadata?.labels);
  return selected(object) || selected(oldObject);
}

const selectsAll = ({ requirements, isNothing }: LabelMatcher): boolean =>
  requirements.length === 0 && !isNothing;
