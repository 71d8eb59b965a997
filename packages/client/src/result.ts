// Decoded responses become typed here. The server is trusted about the schema of the kinds it serves: checking
// every field of every answer would cost more than the request, and would break on each field a newer server adds.
import { apiVersionOf, isObject, type KubeList, type ResourceDescriptor } from "@kubewright/api";
import { ConnectionError } from "./connection-error.js";
import { isMetadata, viewed } from "./view.js";

/** An answer as the type its descriptor promises. */
export function trusted<T>(answer: unknown): T {
  return answer as T;
}

/** One object, as its descriptor views it. */
export function objectOf<T>(what: string, resource: ResourceDescriptor<T, unknown>, answer: unknown): T {
  if (!isObject(answer)) throw new ConnectionError(`${what}: the answer is not an object`, "malformed");
  return trusted<T>(viewed(resource, answer));
}

/** A list whose items say what they are; the server leaves `apiVersion` and `kind` out of those of built-in kinds. */
export function listOf<T>(
  what: string,
  resource: ResourceDescriptor<T, unknown>,
  answer: unknown,
): KubeList<T> {
  const items = isObject(answer) ? (answer["items"] ?? []) : undefined;
  if (!isObject(answer) || !Array.isArray(items)) {
    throw new ConnectionError(`${what}: the answer is not a list`, "malformed");
  }
  const metadata = isObject(answer["metadata"]) ? answer["metadata"] : {};
  return trusted<KubeList<T>>({ ...answer, metadata, items: itemsOf(resource, items) });
}

function itemsOf(resource: ResourceDescriptor, items: readonly unknown[]): readonly unknown[] {
  if (isMetadata(resource)) return items.map((item) => viewed(resource, item));
  const first = items[0];
  if (!isObject(first) || first["kind"] !== undefined) return items;
  const apiVersion = apiVersionOf(resource);
  const { kind } = resource;
  return items.map((item) => (isObject(item) ? { apiVersion, kind, ...item } : item));
}
