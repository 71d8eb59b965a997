// The URL path of an object or a collection. Names come from users, so each segment is checked and encoded: an empty
// name would turn a delete into the deletion of a whole collection.
import type { ResourceDescriptor } from "@kubewright/api";

/** The object or collection a call is about. */
export interface Target {
  readonly resource: ResourceDescriptor;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The URL path of a target. */
export function resourcePath({ resource, namespace, name, subresource }: Target): string {
  let path = resource.group === "" ? "/api/" : `/apis/${segment("group", resource.group)}/`;
  path += segment("version", resource.version);
  if (namespace !== undefined) path += `/namespaces/${segment("namespace", namespace)}`;
  path += `/${segment("resource", resource.plural)}`;
  if (name !== undefined) path += `/${segment("name", name)}`;
  if (subresource !== undefined) path += `/${subresource.split("/").map(subresourceSegment).join("/")}`;
  return path;
}

/** `Deployment shop/web`, as messages name it. */
export function describeTarget({ resource, namespace, name, subresource }: Target): string {
  const where = [namespace, name].filter((part) => part !== undefined).join("/");
  const what = subresource === undefined ? resource.kind : `${resource.kind} ${subresource}`;
  return where === "" ? what : `${what} ${where}`;
}

const subresourceSegment = (value: string): string => segment("subresource", value);

const plain = /^[a-z0-9][a-z0-9.-]*$/;

function segment(what: string, value: string): string {
  if (plain.test(value)) return value;
  if (value === "" || value === "." || value === ".." || value.includes("/")) {
    throw new TypeError(`${JSON.stringify(value)} is not a ${what}`);
  }
  return encodeURIComponent(value);
}
