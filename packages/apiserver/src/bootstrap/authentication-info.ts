// The ConfigMap `extension-apiserver-authentication`, from which aggregated API servers learn the client CA and the request header CA.
import { formatTime } from "@kubewright/api";
import type { Services } from "../registry/request-context.js";

const place = { name: "extension-apiserver-authentication", namespace: "kube-system" };

/** Publishes the two CAs (PEM), where they have changed. */
export function publishAuthentication(
  { storage, clock, newUid }: Pick<Services, "storage" | "clock" | "newUid">,
  authority: string,
  requestHeaderAuthority: string,
): void {
  const key = `${place.namespace}/${place.name}`;
  const found = storage.get("configmaps", key);
  const data = {
    "client-ca-file": authority,
    "requestheader-allowed-names": '["front-proxy-client"]',
    "requestheader-client-ca-file": requestHeaderAuthority,
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-uid-headers": '["X-Remote-Uid"]',
    "requestheader-username-headers": '["X-Remote-User"]',
  };
  const before = found?.["data"] as Readonly<Record<string, string>> | undefined;
  if (
    before?.["client-ca-file"] === authority &&
    before["requestheader-client-ca-file"] === requestHeaderAuthority
  )
    return;
  const metadata = found?.metadata ?? { ...place, uid: newUid(), creationTimestamp: formatTime(clock.now()) };
  storage.put("configmaps", key, { apiVersion: "v1", kind: "ConfigMap", metadata, data }, "any");
}
