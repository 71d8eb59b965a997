// Matches a request with the rules and selectors of a webhook or policy, and finds the version of the resource it is called with.
import { ApiError, type LabelMatcher, type NamedRuleWithOperations } from "@kubewright/api";
import type { AdmissionRequest } from "../../registry/admission-control.js";
import { type AdmissionTarget, equivalentTargets, namespaceOf, targetOf } from "./admission-target.js";
import { ruleMatches } from "./rule-match.js";
import { namespaceSelected, objectSelected } from "./selectors.js";

/** The rules and selectors of a webhook or policy. */
export interface MatchCriteria {
  /** Without any, nothing matches; `all` matches everything. */
  readonly rules: readonly NamedRuleWithOperations[] | "all";
  readonly excludeRules: readonly NamedRuleWithOperations[];
  /** Whether a rule for one version of a resource is meant for all of them. */
  readonly equivalent: boolean;
  readonly namespaceSelector: LabelMatcher;
  readonly objectSelector: LabelMatcher;
}

/** A request and what matching needs of it, computed once. */
export class MatchSubject {
  readonly request: AdmissionRequest;
  readonly target: AdmissionTarget;
  readonly namespace: string;
  #equivalents: readonly AdmissionTarget[] | undefined;

  constructor(request: AdmissionRequest) {
    this.request = request;
    this.target = targetOf(request);
    this.namespace = namespaceOf(request);
  }

  get equivalents(): readonly AdmissionTarget[] {
    this.#equivalents ??= equivalentTargets(this.request);
    return this.#equivalents;
  }
}

/**
 * The target the request matches as, or undefined. Labels are those of `request`, which may have changed since the subject
 * was made. Throws when the request matches otherwise, but a selector cannot be decided.
 */
export function matchRequest(
  criteria: MatchCriteria,
  subject: MatchSubject,
  request: AdmissionRequest = subject.request,
): AdmissionTarget | undefined {
  const inNamespace = namespaceSelected(criteria.namespaceSelector, request);
  if (inNamespace === false || !objectSelected(criteria.objectSelector, request)) return undefined;
  if (matchRules(criteria.excludeRules, criteria.equivalent, subject)) return undefined;
  const target =
    criteria.rules === "all" ? subject.target : matchRules(criteria.rules, criteria.equivalent, subject);
  if (target && inNamespace instanceof ApiError) throw inNamespace;
  return target;
}

/** A rule for the resource as requested comes before one for another version of it. */
function matchRules(
  rules: readonly NamedRuleWithOperations[],
  equivalent: boolean,
  subject: MatchSubject,
): AdmissionTarget | undefined {
  if (rules.some((rule) => matches(rule, subject, subject.target))) return subject.target;
  if (!equivalent) return undefined;
  for (const rule of rules) {
    const found = subject.equivalents.find((target) => matches(rule, subject, target));
    if (found) return found;
  }
  return undefined;
}

function matches(rule: NamedRuleWithOperations, subject: MatchSubject, target: AdmissionTarget): boolean {
  const { request, namespace } = subject;
  if (!ruleMatches(rule, { operation: request.operation, target, namespace })) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || names.includes(request.name);
}
