// Access to devices that are in use by others: only in namespaces that administrators have marked for it.
import { type DeviceClaim, type FieldError, fieldError } from "@kubewright/api";
import type { StrategyContext } from "../strategy-context.js";

const label = "resource.kubernetes.io/admin-access";

/** Problems with a claim, or the template of one, in a namespace. */
export function validateAdminAccess(
  claim: DeviceClaim | undefined,
  namespace: string | undefined,
  { storage }: StrategyContext,
  field: string,
): FieldError[] {
  const index = (claim?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
  if (index === -1) return [];
  const marked = storage.get("namespaces", namespace ?? "")?.metadata.labels?.[label];
  if (marked === "true") return [];
  const text = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  return [fieldError.forbidden(`${field}.requests[${index}].adminAccess`, text)];
}
