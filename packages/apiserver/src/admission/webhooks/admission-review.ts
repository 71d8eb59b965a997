// The AdmissionReview that is sent to a webhook.

import { cloneJson, deepFreeze, type JsonObject } from "@kubewright/api";
import type { DraftObject, StoredObject } from "@kubewright/kinds";

/** The objects of the review, in the version the webhook's rule matched, and frozen: the webhook may be a function in this process. */
export interface ReviewedObjects {
  readonly object: StoredObject | null;
  readonly oldObject: StoredObject | null;
}

/** A copy of the draft as it is now; what is stored never changes and needs none. */
export function reviewedObjects(
  object: DraftObject | StoredObject | undefined,
  oldObject: StoredObject | undefined,
): ReviewedObjects {
  return {
    object: object ? (deepFreeze(cloneJson(object)) as unknown as StoredObject) : null,
    oldObject: oldObject ?? null,
  };
}

/** The supported versions of AdmissionReview; the webhook's own order decides. */
export type ReviewVersion = "v1" | "v1beta1";

export const isReviewVersion = (version: string): version is ReviewVersion =>
  version === "v1" || version === "v1beta1";

/** The request side of an AdmissionReview. */
export function admissionReview(
  version: ReviewVersion,
  uid: string,
  attributes: JsonObject,
  { object, oldObject }: ReviewedObjects,
): unknown {
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...attributes, object, oldObject },
  };
}
