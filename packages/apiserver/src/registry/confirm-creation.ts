import { forbidden } from "@kubewright/kinds";
import type { RequestContext } from "./request-context.js";

/** Updates and applies of an object that is not there create it, and need the right to. Throws 403. */
export function confirmCreation({ services, user, info }: RequestContext): void {
  if (info.kind !== "resource" || info.verb === "create") return;
  const { group, resource, name = "" } = info;
  const { allowed, reason } = services.authorizer({
    kind: "resource",
    user,
    verb: "create",
    group,
    version: info.version,
    resource,
    subresource: info.subresource ?? "",
    namespace: info.namespace ?? "",
    name,
  });
  if (!allowed) throw forbidden({ group, resource, name }, reason);
}
