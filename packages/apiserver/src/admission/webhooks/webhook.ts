// One webhook of a configuration, ready to be matched and called.
import type { MatchCondition, MutatingWebhook, ValidatingWebhook } from "@kubewright/api";
import { MatchConditions } from "../expressions/match-conditions.js";
import type { MatchCriteria } from "../matching/match-request.js";
import { matcherOf } from "../matching/matcher-of.js";
import type { WebhookEndpoint } from "../webhook-caller.js";

const defaultTimeoutSeconds = 10;

/** A webhook as its configuration states it. Expressions are compiled when a request first matches. */
export class Webhook {
  /** Tells it from all others, also of its own name. */
  readonly id: string;
  readonly name: string;
  /** The configuration it is of. */
  readonly configuration: string;
  readonly criteria: MatchCriteria;
  /** Whether a request goes on when the webhook cannot be asked. */
  readonly failsOpen: boolean;
  /** Whether it may be asked about a request that changes nothing. */
  readonly takesDryRuns: boolean;
  /** Whether it wants to see an object again that others changed later. */
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
