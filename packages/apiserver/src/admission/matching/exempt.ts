// The exemptions from dynamic admission: its own configurations, so that none of them can lock everyone out.
import type { AdmissionRequest } from "../../registry/admission-control.js";

const policyResources = [
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
];

const configurations = new Set([
  ...policyResources,
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
]);
const policies = new Set(policyResources);

const group = "admissionregistration.k8s.io";

/** Webhooks are not called about configurations of webhooks and policies. */
export const isExemptFromWebhooks = ({ kind }: AdmissionRequest): boolean =>
  kind.group === group && configurations.has(kind.plural);

/** Reviews are answered and not stored; a policy for them could break the cluster. */
const questions = new Set([
  "selfsubjectreviews.authentication.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
]);

/** Policies do not apply to policies, nor to reviews. */
export const isExemptFromPolicies = ({ kind }: AdmissionRequest): boolean =>
  (kind.group === group && policies.has(kind.plural)) || questions.has(`${kind.plural}.${kind.group}`);
