// One call of one webhook: the checks before it, the call with its timeout, and the AdmissionResponse.

import { ApiError } from "@kubewright/api";
import { requestCanceled } from "@kubewright/kinds";

import type { WebhookOutcome } from "../../metrics/admission-metrics.js";
import type { RequestContext } from "../../registry/request-context.js";
import { whileParked } from "../../request/in-flight.js";
import { callInTime } from "../../webhook-client/webhook-caller.js";
import type { AdmissionTarget } from "../matching/admission-target.js";
import type { MatchSubject } from "../matching/match-request.js";
import { requestAttributes } from "../matching/request-attributes.js";
import {
  admissionReview,
  isReviewVersion,
  type ReviewedObjects,
  type ReviewVersion,
} from "./admission-review.js";
import { type DecodedResponse, decodeReview } from "./decode-review.js";
import { verifyReview } from "./review-answer.js";
import type { Webhook } from "./webhook.js";
import { CallFailure, deniedBy, noDryRun } from "./webhook-failures.js";

/** A webhook that matched, and the version of the resource its rule matched. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly as: AdmissionTarget;
}

/**
 * Calls the webhook and records metrics. Resolves to a response that allows the request. Throws an ApiError when the webhook denies it, and
 * a CallFailure when the call fails.
 */
export async function callWebhook(
  invocation: Invocation,
  subject: MatchSubject,
  objects: ReviewedObjects,
  mutating: boolean,
): Promise<DecodedResponse> {
  const { operation, context } = subject.request;
  const { admission: metrics } = context.services.metrics;
  const { name, failsOpen } = invocation.webhook;
  const began = metrics.now();
  const report = (outcome: Pick<WebhookOutcome, "code" | "rejection" | "failedOpen">): void => {
    const milliseconds = metrics.now() - began;
    const phase = mutating ? "admit" : "validate";
    context.latency?.asked(phase, milliseconds);
    metrics.webhook({ name, phase, operation, milliseconds, ...outcome });
  };
  try {
    const response = await ask(invocation, subject, objects, mutating);
    report({ code: 200 });
    return response;
  } catch (error) {
    if (!(error instanceof CallFailure)) report({ code: codeOf(error), rejection: "no_error" });
    else if (failsOpen) report({ code: 503, failedOpen: true });
    else report({ code: 503, rejection: "calling_webhook_error" });
    throw error;
  }
}

const codeOf = (error: unknown): number => (error instanceof ApiError ? error.code : 0);

async function ask(
  { webhook, as }: Invocation,
  subject: MatchSubject,
  objects: ReviewedObjects,
  mutating: boolean,
): Promise<DecodedResponse> {
  const { context, dryRun } = subject.request;
  const { name } = webhook;
  if (dryRun && !webhook.takesDryRuns) throw noDryRun(name);
  const version = webhook.reviewVersions.find(isReviewVersion);
  if (!version) throw new CallFailure(name, noReviewVersion);
  const uid = context.services.newUid();
  const body = admissionReview(version, uid, requestAttributes(subject, as), objects);
  const answer = await decoded(webhook, version, context, body);
  const response = verified(() => verifyReview(answer, version, uid, mutating), name);
  context.warnings.push(...response.warnings);
  for (const [key, value] of Object.entries(response.auditAnnotations))
    context.record?.annotate(`${name}/${key}`, value);
  if (!response.allowed) throw deniedBy(name, response.status);
  return response;
}

const noReviewVersion =
  "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)";

async function decoded(webhook: Webhook, version: ReviewVersion, context: RequestContext, body: unknown) {
  const { endpoint, timeout, name } = webhook;
  const { services, request } = context;
  try {
    const answer = callInTime(services, { endpoint, body, timeout, signal: request.signal });
    return decodeReview(await whileParked(context, answer), version);
  } catch (error) {
    // When the client has disconnected, the failure policy does not matter.
    if (request.signal?.aborted) throw requestCanceled();
    throw new CallFailure(name, `failed to call webhook: ${reasonOf(error)}`, error);
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function verified<T>(verify: () => T, webhook: string): T {
  try {
    return verify();
  } catch (error) {
    throw new CallFailure(webhook, `received invalid webhook response: ${reasonOf(error)}`, error);
  }
}
