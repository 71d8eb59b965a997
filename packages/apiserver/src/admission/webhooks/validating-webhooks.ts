// ValidatingAdmissionWebhook: asks all webhooks at once; one that refuses is enough.

import { internalError } from "@kubewright/kinds";
import type { AdmissionRequest } from "../../registry/admission-control.js";
import type { Storage } from "../../storage/index.js";
import type { AdmissionPlugin } from "../admission.js";
import { isExemptFromWebhooks } from "../matching/exempt.js";
import { MatchSubject } from "../matching/match-request.js";
import { type ReviewedObjects, reviewedObjects } from "./admission-review.js";
import { callWebhook, type Invocation } from "./call-webhook.js";
import { invocationOf } from "./match-webhook.js";
import type { Webhook } from "./webhook.js";
import { WebhookAnnotations } from "./webhook-annotations.js";
import { CallFailure } from "./webhook-failures.js";
import { WebhookSource } from "./webhook-source.js";
import { WorkingObject } from "./working-object.js";

export class ValidatingWebhooks implements AdmissionPlugin {
  readonly name = "ValidatingAdmissionWebhook";
  readonly #source: WebhookSource;

  constructor(storage: Storage) {
    this.#source = new WebhookSource(storage, "admissionregistration.k8s.io/validatingwebhookconfigurations");
  }

  validate(request: AdmissionRequest): Promise<void> | void {
    const webhooks = this.#source.all();
    if (webhooks.length === 0 || isExemptFromWebhooks(request)) return;
    return dispatch(request, webhooks);
  }

  close(): void {
    this.#source.close();
  }
}

interface Question {
  readonly invocation: Invocation;
  readonly objects: ReviewedObjects;
  readonly annotations: WebhookAnnotations;
}

async function dispatch(request: AdmissionRequest, webhooks: readonly Webhook[]): Promise<void> {
  const subject = new MatchSubject(request);
  const questions = await questionsFor(subject, webhooks);
  const failures: unknown[] = [];
  const asked = questions.map(async (question) => {
    try {
      await ask(question, subject);
    } catch (error) {
      failures.push(error);
    }
  });
  await Promise.all(asked);
  if (failures.length > 0) throw failures[0];
}

/** The webhooks that match, each with the objects in its version. */
async function questionsFor(subject: MatchSubject, webhooks: readonly Webhook[]): Promise<Question[]> {
  const working = new WorkingObject(subject);
  const byVersion = new Map<unknown, ReviewedObjects>();
  const questions: Question[] = [];
  for (const [index, webhook] of webhooks.entries()) {
    const invocation = await invocationOf(webhook, subject, working);
    if (!invocation) continue;
    await working.showAs(invocation.as);
    const { served } = invocation.as;
    const objects = byVersion.get(served) ?? reviewedObjects(working.object, working.oldObject);
    byVersion.set(served, objects);
    const annotations = new WebhookAnnotations(subject.request.context, webhook, 0, index);
    questions.push({ invocation, objects, annotations });
  }
  return questions;
}

async function ask({ invocation, objects, annotations }: Question, subject: MatchSubject): Promise<void> {
  try {
    await callWebhook(invocation, subject, objects, false);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    if (!invocation.webhook.failsOpen) throw internalError(error.message, error);
    annotations.failedOpen("validating");
  }
}
