// MutatingAdmissionWebhook: calls webhooks one after the other, and applies their patches.

import type { ApiError } from "@kubewright/api";
import { internalError } from "@kubewright/kinds";

import type { AdmissionRequest } from "../../registry/admission-control.js";
import type { Storage } from "../../storage/index.js";
import type { AdmissionPlugin, SecondRound } from "../admission.js";
import { isExemptFromWebhooks } from "../matching/exempt.js";
import { MatchSubject } from "../matching/match-request.js";
import { reviewedObjects } from "./admission-review.js";
import { callWebhook, type Invocation } from "./call-webhook.js";
import { invocationOf } from "./match-webhook.js";
import { decodePatch, patchObject } from "./patch-object.js";
import { Reinvocation } from "./reinvocation.js";
import type { Webhook } from "./webhook.js";
import { WebhookAnnotations } from "./webhook-annotations.js";
import { CallFailure } from "./webhook-failures.js";
import { WebhookSource } from "./webhook-source.js";
import { WorkingObject } from "./working-object.js";

export class MutatingWebhooks implements AdmissionPlugin {
  readonly name = "MutatingAdmissionWebhook";
  readonly #source: WebhookSource;

  constructor(storage: Storage) {
    this.#source = new WebhookSource(storage, "admissionregistration.k8s.io/mutatingwebhookconfigurations");
  }

  mutate(request: AdmissionRequest): Promise<SecondRound | void> | void {
    const webhooks = this.#source.all();
    if (webhooks.length === 0 || isExemptFromWebhooks(request)) return;
    return this.#firstRound(request, webhooks);
  }

  close(): void {
    this.#source.close();
  }

  async #firstRound(request: AdmissionRequest, webhooks: readonly Webhook[]): Promise<SecondRound> {
    const rounds = new Reinvocation();
    await runRound(0, request, webhooks, rounds, () => true);
    return {
      needed: rounds.isNeeded,
      mutate: async (again) => {
        rounds.beginSecond(again);
        return runRound(1, again, this.#source.all(), rounds, (webhook) => rounds.isDue(webhook));
      },
    };
  }
}

async function runRound(
  round: 0 | 1,
  request: AdmissionRequest,
  webhooks: readonly Webhook[],
  rounds: Reinvocation,
  isDue: (webhook: Webhook) => boolean,
): Promise<void> {
  const subject = new MatchSubject(request);
  const working = new WorkingObject(subject);
  for (const [index, webhook] of webhooks.entries()) {
    const invocation = await invocationOf(webhook, subject, working);
    if (!invocation || !isDue(webhook)) continue;
    const annotations = new WebhookAnnotations(request.context, webhook, round, index);
    await invoke(invocation, subject, working, rounds, annotations);
  }
  await working.finish();
  rounds.endRound(request);
}

async function invoke(
  invocation: Invocation,
  subject: MatchSubject,
  working: WorkingObject,
  rounds: Reinvocation,
  annotations: WebhookAnnotations,
): Promise<void> {
  const { webhook, as } = invocation;
  await working.showAs(as);
  try {
    const changed = await patchedBy(invocation, subject, working, annotations);
    annotations.mutated(changed);
    rounds.called(webhook, changed);
  } catch (error) {
    annotations.mutated(false);
    rounds.called(webhook, false);
    if (!(error instanceof CallFailure)) throw error;
    if (!webhook.failsOpen) throw internalError(error.message, error);
    annotations.failedOpen("mutation");
  }
}

/** Whether the webhook changed the object. */
async function patchedBy(
  invocation: Invocation,
  subject: MatchSubject,
  working: WorkingObject,
  annotations: WebhookAnnotations,
): Promise<boolean> {
  const { name } = invocation.webhook;
  const objects = reviewedObjects(working.object, working.oldObject);
  const { patch, patchType } = await callWebhook(invocation, subject, objects, true);
  const operations = patch === "" ? [] : decodePatch(name, patch);
  if (operations.length === 0) return false;
  if (!working.object) throw nothingToPatch(name);
  if (patchType !== "JSONPatch") throw new CallFailure(name, `unsupported patch type "${patchType}"`);
  const { object, changed } = patchObject(working.object, operations, invocation.as);
  working.replace(object);
  annotations.patched(operations, patchType);
  return changed;
}

const nothingToPatch = (webhook: string): ApiError =>
  internalError(
    `admission webhook "${webhook}" attempted to modify the object, which is not supported for this operation`,
  );
