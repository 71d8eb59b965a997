// The api-approved.kubernetes.io annotation, which CRDs in groups under k8s.io and kubernetes.io must have.
import { type CustomResourceDefinition, type FieldError, fieldError } from "@kubewright/api";

const annotation = "api-approved.kubernetes.io";
const see = "see https://github.com/kubernetes/enhancements/pull/1111";

type Approval = "missing" | "bypassed" | "approved" | "invalid";

/** The errors of the approval of a protected group; an approval that did not change is left alone. */
export function approvalErrors(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(crd.spec.group ?? "")) return [];
  const approval = approvalOf(crd);
  if (old !== undefined && approvalOf(old) === approval) return [];
  const path = `metadata.annotations[${annotation}]`;
  if (approval === "missing") {
    return [
      fieldError.required(path, `protected groups must have approval annotation "${annotation}", ${see}`),
    ];
  }
  if (approval !== "invalid") return [];
  const detail = `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", ${see}`;
  return [fieldError.invalid(path, crd.metadata?.annotations?.[annotation] ?? "", detail)];
}

function approvalOf(crd: CustomResourceDefinition): Approval {
  const text = crd.metadata?.annotations?.[annotation] ?? "";
  if (text === "") return "missing";
  if (text.startsWith("unapproved")) return "bypassed";
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#\s]+/.test(text) ? "approved" : "invalid";
}
