// One path of the webhook server: asks the handlers of a webhook about one request, within its time.
//
// A handler that judges (returns or throws field errors, denies, throws an ApiError) is believed. One that fails has judged
// nothing: with the failure policy `Ignore` the caller is told of the failure and goes on; with `Fail` the request is refused
// in words.
import {
  ApiError,
  type Clock,
  deepEqual,
  type FieldError,
  isObject,
  TimeoutError,
  type UntypedObject,
} from "@kubewright/api";
import type { CachedClient } from "../informer/cached-client.js";
import type { Logger } from "../logging/logger.js";
import { type AdmissionAnswer, admissionReview, invalid, refusalOf } from "./admission-answer.js";
import { type AdmissionQuestion, admissionQuestion } from "./admission-question.js";
import type { WebhookDefinition } from "./define-webhook.js";
import { draftOf } from "./draft.js";
import { jsonDiff } from "./json-diff.js";
import { messageOf, ReviewError } from "./review-error.js";
import type { WebhookType } from "./webhook-names.js";
import { WebhookRun } from "./webhook-run.js";

/** What every path needs. */
export interface RouteScope {
  readonly clock: Clock;
  readonly log: Logger;
  /** For webhooks that read; without it reading fails. */
  readonly client: CachedClient | undefined;
  /** Hears of handlers that failed, besides the log. */
  readonly onError: (where: string, error: unknown) => void;
}

/** How a question was answered, for whoever counts. */
export interface Reviewed {
  readonly body: unknown;
  /** As a Status has it: 200 when allowed. */
  readonly code: number;
}

/** The largest AdmissionReview: two objects of the largest size an API server takes, and what surrounds them. */
export const maxAdmissionBytes = 7 * 1024 * 1024;

export class AdmissionRoute {
  readonly maxBytes = maxAdmissionBytes;
  readonly #type: WebhookType;
  readonly #definition: WebhookDefinition;
  readonly #scope: RouteScope;

  constructor(type: WebhookType, definition: WebhookDefinition, scope: RouteScope) {
    this.#type = type;
    this.#definition = definition;
    this.#scope = scope;
  }

  /** Throws a ReviewError for a body that is no AdmissionReview. `timeout` is how long the caller waits, in milliseconds. */
  async review(body: unknown, timeout: number | undefined): Promise<Reviewed> {
    const question = admissionQuestion(body);
    this.#checkTarget(question);
    const answer = isLeaving(question)
      ? { allowed: true, warnings: [] }
      : await this.#inTime(question, timeout);
    return { body: admissionReview(question.uid, answer), code: answer.refusal?.code ?? 200 };
  }

  #checkTarget({ group, resource, subresource }: AdmissionQuestion): void {
    const { resource: own, subresource: ownSubresource } = this.#definition;
    if (group === own.group && resource === own.plural && subresource === ownSubresource) return;
    const name = (plural: string, of: string, sub: string | undefined) =>
      `${plural}${sub ? `/${sub}` : ""}${of ? `.${of}` : ""}`;
    throw new ReviewError(
      400,
      `asked about ${name(resource, group, subresource)}, but this is for ${name(own.plural, own.group, ownSubresource)}`,
    );
  }

  async #inTime(question: AdmissionQuestion, timeout: number | undefined): Promise<AdmissionAnswer> {
    const { clock, client, log } = this.#scope;
    const limit = answerBy(timeout ?? (this.#definition.timeoutSeconds ?? 10) * 1000);
    const expiry = new AbortController();
    const run = new WebhookRun({
      clock,
      definition: this.#definition,
      question,
      client,
      log,
      signal: expiry.signal,
    });
    const late = new TimeoutError(`webhook ${this.#definition.name} took longer than ${limit} ms`);
    const timer = clock.setTimer(limit, () => expiry.abort(late));
    const tooLate = new Promise<never>((_, reject) => {
      expiry.signal.addEventListener("abort", () => reject(late), { once: true });
    });
    try {
      return await Promise.race([this.#judge(question, run), tooLate]);
    } catch (error) {
      return this.#failed(error, question, run);
    } finally {
      timer.cancel();
    }
  }

  #judge(question: AdmissionQuestion, run: WebhookRun): Promise<AdmissionAnswer> {
    return this.#type === "mutate" ? this.#default(question, run) : this.#validate(question, run);
  }

  async #default(question: AdmissionQuestion, run: WebhookRun): Promise<AdmissionAnswer> {
    const { object } = question;
    if (!object) return { allowed: true, warnings: run.warnings };
    const draft = draftOf(object);
    try {
      const result = await this.#definition.default?.(draft, run);
      return {
        allowed: true,
        patch: jsonDiff(object, changed(object, draft, result)),
        warnings: run.warnings,
      };
    } catch (error) {
      if (refusalOf(error, this.#definition, question) || !this.#breaksSchema(object)) throw error;
      // The handler stumbled over what the schema forbids anyway, and the server will say so better.
      return { allowed: true, warnings: run.warnings };
    }
  }

  async #validate(question: AdmissionQuestion, run: WebhookRun): Promise<AdmissionAnswer> {
    const { operation, object, oldObject } = question;
    const validator = this.#definition.validators.get(operation);
    const subject = operation === "DELETE" ? oldObject : object;
    if (!validator || !subject) return { allowed: true, warnings: run.warnings };
    const verdict = await validator(subject, run);
    const errors = errorsOf(verdict);
    if (errors.length === 0) return { allowed: true, warnings: run.warnings };
    const refusal = invalid(errors, this.#definition, question);
    return { allowed: false, refusal, warnings: run.warnings };
  }

  #failed(error: unknown, question: AdmissionQuestion, run: WebhookRun): AdmissionAnswer {
    const refusal = refusalOf(error, this.#definition, question);
    if (refusal) return { allowed: false, refusal, warnings: run.warnings };
    run.log.error("webhook failed", { error });
    const { name, failurePolicy } = this.#definition;
    this.#scope.onError(`webhook ${name}`, error);
    const code = error instanceof TimeoutError ? 504 : 500;
    const message = `the webhook failed: ${messageOf(error)}`;
    if (failurePolicy === "Ignore") throw new ReviewError(code, message, { cause: error });
    const reason = code === 504 ? "Timeout" : "InternalError";
    return {
      allowed: false,
      refusal: new ApiError(message, { code, reason, cause: error }),
      warnings: run.warnings,
    };
  }

  #breaksSchema(object: UntypedObject): boolean {
    const { resource, subresource } = this.#definition;
    if (subresource || !("validate" in resource) || typeof resource.validate !== "function") return false;
    const problems: unknown = resource.validate(object);
    return Array.isArray(problems) && problems.length > 0;
  }
}

/**
 * Whether an object that is being deleted changes in nothing but its metadata. Such updates take finalizers away: to refuse one,
 * because rules have become stricter since the object was stored, would keep it from ever going.
 */
function isLeaving({ operation, object, oldObject }: AdmissionQuestion): boolean {
  if (operation !== "UPDATE" || !object?.metadata?.deletionTimestamp || !oldObject) return false;
  const { metadata: _metadata, ...now } = object;
  const { metadata: _old, ...before } = oldObject;
  return deepEqual(now, before);
}

/** A little before the caller gives up, so that it hears why. */
const answerBy = (timeout: number): number => timeout - Math.min(500, timeout / 10);

const isList = (verdict: FieldError | readonly FieldError[]): verdict is readonly FieldError[] =>
  Array.isArray(verdict);

function errorsOf(verdict: FieldError | readonly FieldError[] | undefined | void): readonly FieldError[] {
  if (!verdict) return [];
  return isList(verdict) ? verdict : [verdict];
}

/** What a defaulting handler made of the object: the draft it changed, or what it returned. Identity may be left out. */
function changed(object: UntypedObject, draft: UntypedObject, result: unknown): unknown {
  if (result === undefined) return draft;
  if (!isObject(result)) throw new TypeError("a defaulting handler must return an object or nothing");
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata, ...result };
}
