// SelfSubjectRulesReview: all rules that hold for the user in a namespace.

import type { PolicyRule, SelfSubjectRulesReview, SubjectRulesReviewStatus } from "@kubewright/api";
import { badRequest, draftAs, type HeldRules } from "@kubewright/kinds";
import { missingRoles } from "../auth/rbac/rbac-policy.js";

import type { ResourceBehaviour } from "../registry/built-in-resources.js";

export const selfSubjectRulesReviews: ResourceBehaviour = {
  resource: "selfsubjectrulesreviews.authorization.k8s.io",
  review(object, { services, user }) {
    const { namespace } = draftAs<SelfSubjectRulesReview>(object).spec;
    if (!namespace) throw badRequest("no namespace on request");
    const { apiVersion, kind } = object;
    return { apiVersion, kind, metadata: {}, spec: {}, status: statusOf(services.rulesFor(user, namespace)) };
  },
};

function statusOf({ rules, missing, incomplete }: HeldRules): SubjectRulesReviewStatus {
  const problems = [incomplete, missing.length === 0 ? undefined : missingRoles(missing)];
  const problem = problems.filter((text) => text !== undefined).join(", ");
  return {
    resourceRules: rules.filter(({ resources }) => resources?.length).map(resourceRule),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: incomplete !== undefined,
    ...(problem === "" ? {} : { evaluationError: problem }),
  };
}

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: PolicyRule) => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames?.length ? { resourceNames } : {}),
});
