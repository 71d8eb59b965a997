// Roles made of other roles: those that labels select give their rules to the role that selects them.
import { ClusterRole, deepEqual, LabelMatcher, type PolicyRule } from "@kubewright/api";
import type { StoreReader } from "@kubewright/runtime";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";

export const roleAggregationController: BuiltInController = {
  name: "clusterrole-aggregation",
  start(environment) {
    const loop = new SyncLoop(environment, { name: "clusterrole-aggregation", sync });
    const roles = loop.cache(ClusterRole);
    loop.watch(ClusterRole, () => aggregated(roles));
    return loop.start();

    async function sync(name: string): Promise<undefined> {
      const role = roles.get(name);
      if (!role?.aggregationRule) return;
      const rules = aggregatedRules(role, roles.values());
      if (deepEqual(rules, role.rules ?? [])) return;
      await environment.client.update(
        ClusterRole,
        { ...role, rules },
        { fieldManager: "clusterrole-aggregation-controller" },
      );
    }
  },
};

function* aggregated(roles: StoreReader<ClusterRole>): Iterable<string> {
  for (const [key, role] of roles.entries()) if (role.aggregationRule) yield key;
}

/** The rules of the selected roles, by name, each once. */
function aggregatedRules(role: ClusterRole, roles: Iterable<ClusterRole>): readonly PolicyRule[] {
  const matchers = (role.aggregationRule?.clusterRoleSelectors ?? []).map((selector) =>
    LabelMatcher.from(selector),
  );
  const parts = [...roles]
    .filter(({ metadata }) => metadata?.name !== role.metadata?.name)
    .filter(({ metadata }) => matchers.some((matcher) => matcher.matches(metadata?.labels)))
    .toSorted((a, b) => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const rule of parts.flatMap((part) => part.rules ?? []))
    if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
  return rules;
}
