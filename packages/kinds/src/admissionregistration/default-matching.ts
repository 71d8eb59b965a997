// Defaults of match rules in webhooks and policies: every scope, every object, equivalent versions.
import type { Draft, MatchResources, RuleWithOperations } from "@kubewright/api";

type Rules = readonly Draft<RuleWithOperations>[] | undefined;

/** Rules hold for all scopes. */
export function defaultRules(rules: Rules): void {
  for (const rule of rules ?? []) rule.scope ??= "*";
}

export function defaultMatchResources(resources: Draft<MatchResources> | undefined): void {
  if (!resources) return;
  defaultSelectors(resources);
  defaultRules(resources.resourceRules);
  defaultRules(resources.excludeResourceRules);
}

/** The part that webhooks have, too. */
export function defaultSelectors(
  matching: Pick<Draft<MatchResources>, "matchPolicy" | "namespaceSelector" | "objectSelector">,
): void {
  matching.matchPolicy ??= "Equivalent";
  matching.namespaceSelector ??= {};
  matching.objectSelector ??= {};
}
