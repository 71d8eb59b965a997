import type { PolicyRule } from "@kubewright/api";
import type { AccessNeed } from "./access-need.js";

/** As few rules as possible: one for all resources of a group that need the same. */
export function rulesFor(needs: readonly AccessNeed[]): readonly PolicyRule[] {
  const verbs = new Map<string, Set<string>>();
  for (const { group, resource, verbs: some, names = [] } of needs) {
    const place = `${group} ${resource} ${names.join(",")}`;
    const known = verbs.get(place) ?? new Set();
    for (const verb of some) known.add(verb);
    verbs.set(place, known);
  }
  const resources = new Map<string, string[]>();
  for (const [place, some] of [...verbs].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [group = "", resource = "", names = ""] = place.split(" ");
    const rule = `${group} ${[...some].sort(inOrder).join(",")} ${names}`;
    resources.set(rule, [...(resources.get(rule) ?? []), resource]);
  }
  return [...resources].map(([rule, some]) => {
    const [group = "", list = "", names = ""] = rule.split(" ");
    const resourceNames = names === "" ? {} : { resourceNames: names.split(",") };
    return { apiGroups: [group], resources: some, ...resourceNames, verbs: list.split(",") };
  });
}

const order = ["get", "list", "watch", "create", "update", "patch", "delete"];

function inOrder(one: string, other: string): number {
  return order.indexOf(one) - order.indexOf(other);
}
