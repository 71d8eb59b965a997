// The KubernetesAPIApprovalPolicyConformant condition of CRDs whose group is under k8s.io or kubernetes.io.

import type { CustomResourceDefinition } from "@kubewright/api";
import type { ConditionUpdate } from "@kubewright/kinds";

const annotation = "api-approved.kubernetes.io";
const see = "see https://github.com/kubernetes/enhancements/pull/1111";

/** Undefined for groups that need no approval. */
export function approvalCondition({ metadata, spec }: CustomResourceDefinition): ConditionUpdate | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec.group)) return undefined;
  const text = metadata?.annotations?.[annotation] ?? "";
  const type = "KubernetesAPIApprovalPolicyConformant";
  if (text === "") {
    const message = `protected groups must have approval annotation "${annotation}", ${see}`;
    return { type, status: "False", reason: "MissingAnnotation", message };
  }
  if (text.startsWith("unapproved")) {
    return { type, status: "False", reason: "UnapprovedAnnotation", message: `not approved: "${text}"` };
  }
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#\s]+/.test(text)) {
    return { type, status: "True", reason: "ApprovedAnnotation", message: `approved in ${text}` };
  }
  const message = `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", ${see}`;
  return { type, status: "False", reason: "InvalidAnnotation", message };
}
