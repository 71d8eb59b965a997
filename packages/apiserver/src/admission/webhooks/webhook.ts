// One webhook of a configuration, ready to be matched and called.
import type { MatchCondition, MutatingWebhook, ValidatingWebhook } from "@kubewright/api";
import type { WebhookEndpoint } from "../../webhook-client/webhook-caller.js";
import { MatchConditions } from "../expressions/match-conditions.js";
import type { MatchCriteria } from "../matching/match-request.js";
import { matcherOf } from "../matching/matcher-of.js";

const defaultTimeoutSeconds = 10;

/** A webhook of a configuration. Expressions are compiled when a request first matches. */
export class Webhook {
  /** Unique among all webhooks, also among those of the same name. */
  readonly id: string;
  readonly name: string;
  /** The name of its configuration. */
  readonly configuration: string;
  readonly criteria: MatchCriteria;
  /** failurePolicy Ignore: a request is allowed when the call fails. */
  readonly failsOpen: boolean;
  /** Whether it is called for dry-run requests. */
  readonly takesDryRuns: boolean;
  /** reinvocationPolicy IfNeeded: it is called again when later plugins change the object. */
  readonly reinvokes: boolean;
  readonly timeout: number;
  readonly reviewVersions: readonly string[];
  readonly endpoint: WebhookEndpoint;
  readonly #matchConditions: readonly MatchCondition[];
  #conditions: MatchConditions | undefined;

  constructor(id: string, stated: MutatingWebhook | ValidatingWebhook, configuration: string) {
    this.id = id;
    this.configuration = configuration;
    this.name = stated.name;
    this.criteria = criteriaOf(stated);
    this.failsOpen = stated.failurePolicy === "Ignore";
    this.takesDryRuns = stated.sideEffects === "None" || stated.sideEffects === "NoneOnDryRun";
    this.reinvokes = "reinvocationPolicy" in stated && stated.reinvocationPolicy === "IfNeeded";
    this.timeout = (stated.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
    this.reviewVersions = stated.admissionReviewVersions;
    this.endpoint = stated.clientConfig;
    this.#matchConditions = stated.matchConditions ?? [];
  }

  /** Its match conditions, compiled when they are first evaluated. */
  get conditions(): MatchConditions {
    this.#conditions ??= new MatchConditions(this.#matchConditions, { ignoresErrors: this.failsOpen });
    return this.#conditions;
  }
}

function criteriaOf(stated: MutatingWebhook | ValidatingWebhook): MatchCriteria {
  return {
    rules: stated.rules ?? [],
    excludeRules: [],
    equivalent: stated.matchPolicy !== "Exact",
    namespaceSelector: matcherOf(stated.namespaceSelector),
    objectSelector: matcherOf(stated.objectSelector),
  };
}
