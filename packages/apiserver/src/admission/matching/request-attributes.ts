// The attributes of a request that webhooks get as AdmissionRequest and expressions see as `request`, without the objects.

import type { JsonObject } from "@kubewright/api";
import type { UserInfo } from "@kubewright/kinds";

import type { AdmissionTarget } from "./admission-target.js";
import type { MatchSubject } from "./match-request.js";
import { operationOptions } from "./operation-options.js";

/** Everything but uid, object and oldObject; `as` is the version of the resource that was asked for. */
export function requestAttributes(subject: MatchSubject, as: AdmissionTarget): JsonObject {
  const { request, target, namespace } = subject;
  return {
    kind: { ...as.kind },
    resource: { ...as.resource },
    ...(as.subresource === "" ? {} : { subResource: as.subresource }),
    requestKind: { ...target.kind },
    requestResource: { ...target.resource },
    ...(target.subresource === "" ? {} : { requestSubResource: target.subresource }),
    ...(request.name === "" ? {} : { name: request.name }),
    ...(namespace === "" ? {} : { namespace }),
    operation: request.operation,
    userInfo: userAttributes(request.context.user),
    dryRun: request.dryRun,
    options: operationOptions(request),
  };
}

function userAttributes({ name, uid, groups, extra }: UserInfo): JsonObject {
  const extras = Object.entries(extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid ? { uid } : {}),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extras.length === 0 ? {} : { extra: Object.fromEntries(extras) }),
  };
}
