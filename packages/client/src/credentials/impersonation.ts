import type { Impersonation } from "../kubeconfig/kubeconfig.js";

/** The impersonation headers. */
export function impersonationHeaders({
  user,
  uid,
  groups,
  extra,
}: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { "impersonate-user": user };
  if (uid !== undefined) headers["impersonate-uid"] = uid;
  if (groups && groups.length > 0) headers["impersonate-group"] = [...groups];
  for (const [name, values] of Object.entries(extra ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(name).toLowerCase()}`] = [...values];
  }
  return headers;
}
