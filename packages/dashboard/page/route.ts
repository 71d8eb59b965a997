// Where the page is, from the part of the address behind `#`.
import { signal } from "@preact/signals";
import type { ObjectName } from "../src/protocol.js";

export const route = signal<readonly string[]>(parts());

function parts(): readonly string[] {
  return location.hash.replace(/^#\/?/, "").split("/").map(decode);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener("hashchange", () => {
  route.value = parts();
});

const path = (...names: readonly string[]): string => `#/${names.map(encodeURIComponent).join("/")}`;

/** A dash stands for the core group and for objects without a namespace. */
export const objectLink = (
  { group, version, plural, namespace, name }: ObjectName,
  view = "object",
): string => path(view, group || "-", version, plural, namespace ?? "-", name);

export const tableLink = (group: string, version: string, plural: string): string =>
  path("resources", group || "-", version, plural);

export function objectOf([
  group = "",
  version = "",
  plural = "",
  namespace = "",
  name = "",
]: readonly string[]): ObjectName {
  return {
    group: group === "-" ? "" : group,
    version,
    plural,
    namespace: namespace === "-" ? undefined : namespace,
    name,
  };
}
