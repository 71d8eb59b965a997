import { LabelMatcher, type LabelSelector } from "@kubewright/api";

/**
 * A selector of a webhook or policy, where none means everything. Selectors are validated before they are stored; one that
 * was not selects nothing rather than everything.
 */
export function matcherOf(selector: LabelSelector | undefined): LabelMatcher {
  try {
    return LabelMatcher.from(selector ?? {});
  } catch {
    return LabelMatcher.nothing;
  }
}
