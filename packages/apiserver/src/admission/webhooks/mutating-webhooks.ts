// MutatingAdmissionWebhook: asks webhooks one after the other, and applies their patches.
import type { ApiError } from "@kubewright/api";
import { internalError } from "../../request/failures.js";
import type { Storage } from "../../storage/index.js";
import type { AdmissionPlugin, AdmissionRequest, SecondRound } from "../admission.js";
import { isExemptFromWebhooks } from "../matching/exempt.js";
import { MatchSubject } from "../matching/match-request.js";
import { reviewedObjects } from "./admission-review.js";
import { askWebhook, type Invocation } from "./ask-webhook.js";
import { invocationOf } from "./match-webhook.js";
import { decodePatch, patchObject } from "./patch-object.js";
import { Reinvocation } from "./reinvocation.js";
import type { Webhook } from "./webhook.js";
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
    await runRound(request, webhooks, rounds, () => true);
    return {
      needed: rounds.isNeeded,
      mutate: (again) => {
        rounds.beginSecond(again.object);
        return runRound(again, this.#source.all(), rounds, (webhook) => rounds.isDue(webhook));
      },
    };
  }
}

async function runRound(
  request: AdmissionRequest,
  webhooks: readonly Webhook[],
  rounds: Reinvocation,
  isDue: (webhook: Webhook) => boolean,
): Promise<void> {
  const subject = new MatchSubject(request);
  const working = new WorkingObject(subject);
  for (const webhook of webhooks) {
    const invocation = await invocationOf(webhook, subject, working);
    if (invocation && isDue(webhook)) await invoke(invocation, subject, working, rounds);
  }
  await working.finish();
  rounds.endRound(request.object);
}

async function invoke(
  invocation: Invocation,
  subject: MatchSubject,
  working: WorkingObject,
  rounds: Reinvocation,
): Promise<void> {
  const { webhook, as } = invocation;
  await working.showAs(as);
  try {
    rounds.called(webhook, await patchedBy(invocation, subject, working));
  } catch (error) {
    rounds.called(webhook, false);
    if (!(error instanceof CallFailure)) throw error;
    if (!webhook.failsOpen) throw internalError(error.message, error);
  }
}

/** Whether the webhook changed the object. */
async function patchedBy(
  invocation: Invocation,
  subject: MatchSubject,
  working: WorkingObject,
): Promise<boolean> {
  const { name } = invocation.webhook;
  const objects = reviewedObjects(working.object, working.oldObject);
  const { patch, patchType } = await askWebhook(invocation, subject, objects, true);
  const operations = patch === "" ? [] : decodePatch(name, patch);
  if (operations.length === 0) return false;
  if (!working.object) throw nothingToPatch(name);
  if (patchType !== "JSONPatch") throw new CallFailure(name, `unsupported patch type "${patchType}"`);
  const { object, changed } = patchObject(working.object, operations, invocation.as);
  working.replace(object);
  return changed;
}

const nothingToPatch = (webhook: string): ApiError =>
  internalError(
    `admission webhook "${webhook}" attempted to modify the object, which is not supported for this operation`,
  );
