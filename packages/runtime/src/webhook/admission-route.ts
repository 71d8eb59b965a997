// One path of the webhook server: calls the handlers of a webhook for one AdmissionReview, within its timeout.
//
// A handler that decides (returns or throws field errors, denies, throws an ApiError) makes the response. One that fails has decided
// nothing: with the failure policy `Ignore` the response is an HTTP error, which the API server ignores; with `Fail` the request is
// refused, with the error in the message.
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
import { type AdmissionRequest, parseAdmissionReview } from "./admission-request.js";
import { type AdmissionResponse, admissionReview, invalid, refusalOf } from "./admission-response.js";
import type { WebhookDefinition } from "./define-webhook.js";
import { draftOf } from "./draft.js";
import { jsonDiff } from "./json-diff.js";
import { messageOf, ReviewError } from "./review-error.js";
import type { WebhookType } from "./webhook-names.js";
import { WebhookRun } from "./webhook-run.js";

/** The dependencies of a path. */
export interface RouteScope {
  readonly clock: Clock;
  readonly log: Logger;
  /** For handlers that read; without it reading fails. */
  readonly client: CachedClient | undefined;
  /** Called with the errors of handlers, besides the log. */
  readonly onError: (where: string, error: unknown) => void;
}

/** The response to an AdmissionReview, for metrics. */
export interface Reviewed {
  readonly body: unknown;
  /** The code of its Status: 200 when allowed. */
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

  /** Throws a ReviewError for a body that is no AdmissionReview. `timeout` is that of the caller, in milliseconds. */
  async review(body: unknown, timeout: number | undefined): Promise<Reviewed> {
    const request = parseAdmissionReview(body);
    this.#checkTarget(request);
    const response = isMetadataOfTerminating(request)
      ? { allowed: true, warnings: [] }
      : await this.#inTime(request, timeout);
    return { body: admissionReview(request.uid, response), code: response.refusal?.code ?? 200 };
  }

  #checkTarget({ group, resource, subresource }: AdmissionRequest): void {
    const { resource: own, subresource: ownSubresource } = this.#definition;
    if (group === own.group && resource === own.plural && subresource === ownSubresource) return;
    const name = (plural: string, of: string, sub: string | undefined) =>
      `${plural}${sub ? `/${sub}` : ""}${of ? `.${of}` : ""}`;
    throw new ReviewError(
      400,
      `called for ${name(resource, group, subresource)}, but this is for ${name(own.plural, own.group, ownSubresource)}`,
    );
  }

  async #inTime(request: AdmissionRequest, timeout: number | undefined): Promise<AdmissionResponse> {
    const { clock, client, log } = this.#scope;
    const limit = handlerTimeout(timeout ?? (this.#definition.timeoutSeconds ?? 10) * 1000);
    const expiry = new AbortController();
    const run = new WebhookRun({
      clock,
      definition: this.#definition,
      request,
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
      return await Promise.race([this.#callHandler(request, run), tooLate]);
    } catch (error) {
      return this.#failed(error, request, run);
    } finally {
      timer.cancel();
    }
  }

  #callHandler(request: AdmissionRequest, run: WebhookRun): Promise<AdmissionResponse> {
    return this.#type === "mutate" ? this.#default(request, run) : this.#validate(request, run);
  }

  async #default(request: AdmissionRequest, run: WebhookRun): Promise<AdmissionResponse> {
    const { object } = request;
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
      if (refusalOf(error, this.#definition, request) || !this.#breaksSchema(object)) throw error;
      // The handler failed on an object that the schema forbids anyway, and the server's own error says more.
      return { allowed: true, warnings: run.warnings };
    }
  }

  async #validate(request: AdmissionRequest, run: WebhookRun): Promise<AdmissionResponse> {
    const { operation, object, oldObject } = request;
    const validator = this.#definition.validators.get(operation);
    const subject = operation === "DELETE" ? oldObject : object;
    if (!validator || !subject) return { allowed: true, warnings: run.warnings };
    const result = await validator(subject, run);
    const errors = errorsOf(result);
    if (errors.length === 0) return { allowed: true, warnings: run.warnings };
    const refusal = invalid(errors, this.#definition, request);
    return { allowed: false, refusal, warnings: run.warnings };
  }

  #failed(error: unknown, request: AdmissionRequest, run: WebhookRun): AdmissionResponse {
    const refusal = refusalOf(error, this.#definition, request);
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
 * True when an object that is being deleted changes in nothing but its metadata. Such updates remove finalizers: to refuse one,
 * because rules have become stricter since the object was stored, would keep it from ever being deleted.
 */
function isMetadataOfTerminating({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== "UPDATE" || !object?.metadata?.deletionTimestamp || !oldObject) return false;
  const { metadata: _metadata, ...now } = object;
  const { metadata: _old, ...before } = oldObject;
  return deepEqual(now, before);
}

/** A little shorter than the caller's timeout, so that it gets the reason. */
const handlerTimeout = (timeout: number): number => timeout - Math.min(500, timeout / 10);

const isList = (result: FieldError | readonly FieldError[]): result is readonly FieldError[] =>
  Array.isArray(result);

function errorsOf(result: FieldError | readonly FieldError[] | undefined | void): readonly FieldError[] {
  if (!result) return [];
  return isList(result) ? result : [result];
}

/** The result of a defaulting handler: the draft it changed, or the object it returned. Identity may be left out. */
function changed(object: UntypedObject, draft: UntypedObject, result: unknown): unknown {
  if (result === undefined) return draft;
  if (!isObject(result)) throw new TypeError("a defaulting handler must return an object or nothing");
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata, ...result };
}
