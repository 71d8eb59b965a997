// Where what the server says becomes typed. The server is believed about the shape of the kinds it serves: checking
// every field of every answer would cost more than the request, and would break on each field a newer server adds.
import { apiVersionOf, type KubeList, type ResourceDescriptor } from "@kubewright/api";
import { ConnectionError } from "./connection-error.js";
import { isRecord } from "./record.js";

/** An answer as the type its descriptor promises. */
export function trusted<T>(answer: unknown): T {
  return answer as T;
}

/** A list whose items say what they are; the server leaves `apiVersion` and `kind` out of those of built-in kinds. */
export function listOf<T>(resource: ResourceDescriptor<T, unknown>, answer: unknown): KubeList<T> {
  if (!isRecord(answer)) throw notAList(resource);
  const items = answer["items"] ?? [];
  if (!Array.isArray(items)) throw notAList(resource);
  const metadata = isRecord(answer["metadata"]) ? answer["metadata"] : {};
  return trusted<KubeList<T>>({ ...answer, metadata, items: withKind(resource, items) });
}

function withKind(resource: ResourceDescriptor, items: readonly unknown[]): readonly unknown[] {
  const first = items[0];
  if (!isRecord(first) || first["kind"] !== undefined) return items;
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return items.map((item) => (isRecord(item) ? { ...type, ...item } : item));
}

function notAList(resource: ResourceDescriptor): ConnectionError {
  return new ConnectionError(`list ${resource.kind}: the answer is not a list`, "malformed");
}
