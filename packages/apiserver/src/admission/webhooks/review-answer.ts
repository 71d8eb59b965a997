// Validates the AdmissionReview that a webhook returned: its uid, kind, and the fields that its type of webhook may set.
import { goQuote } from "@kubewright/api";
import type { ReviewVersion } from "./admission-review.js";
import type { DecodedResponse, DecodedReview } from "./decode-review.js";

/** Throws an Error that says why the answer is invalid. */
export function verifyReview(
  review: DecodedReview,
  version: ReviewVersion,
  uid: string,
  mutating: boolean,
): DecodedResponse {
  const { response } = review;
  if (!response) throw new Error("webhook response was absent");
  if (version === "v1beta1") return lenient(response, mutating);
  if (response.uid !== uid)
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid)}`);
  verifyKind(review);
  if (mutating) verifyPatch(response);
  else verifyNoPatch(response);
  return response;
}

/** The old version never verified anything, and knew one type of patch only. */
function lenient(response: DecodedResponse, mutating: boolean): DecodedResponse {
  const patch = mutating ? response.patch : "";
  return { ...response, patch, patchType: patch === "" ? undefined : "JSONPatch" };
}

function verifyKind({ apiVersion, kind }: DecodedReview): void {
  if (apiVersion === "admission.k8s.io/v1" && kind === "AdmissionReview") return;
  const found = `${apiVersion === "" ? "/" : apiVersion}, Kind=${kind}`;
  throw new Error(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${found}`);
}

function verifyPatch({ patch, patchType }: DecodedResponse): void {
  if (patch !== "" && patchType === undefined)
    throw new Error("webhook returned response.patch but not response.patchType");
  if (patch === "" && patchType !== undefined)
    throw new Error("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new Error('webhook returned invalid response.patchType of ""');
}

function verifyNoPatch({ patch, patchType }: DecodedResponse): void {
  if (patch !== "") throw new Error("validating webhook may not return response.patch");
  if (patchType !== undefined) throw new Error("validating webhook may not return response.patchType");
}
