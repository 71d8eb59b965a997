// Texts that cells of several kinds share.
import { type Container, LabelMatcher, type LabelSelector, type Labels } from "@kubewright/api";

/** The text, or what stands for an empty one. */
export function orElse(text: string | undefined | null, placeholder: string): string {
  return text || placeholder;
}

/** `a=1,b=2`, sorted; `<none>` when there are no labels. */
export function labelsText(labels: Labels | null | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return orElse(pairs.sort().join(","), "<none>");
}

/** `a=1,b in (x,y)`; `<none>` when nothing is demanded, `<error>` when it makes no sense. */
export function selectorText(selector: LabelSelector | null | undefined): string {
  try {
    return orElse(String(LabelMatcher.from(selector ?? undefined)), "<none>");
  } catch {
    return "<error>";
  }
}

/** Names and images of containers, each in one cell. */
export function containerCells(
  containers: readonly Container[] | null | undefined,
): [names: string, images: string] {
  const all = containers ?? [];
  return [all.map(({ name }) => name).join(","), all.map(({ image }) => image ?? "").join(",")];
}

/** The first few of a list: `a,b,c + 2 more...`. */
export function firstFew(items: readonly string[], max: number, empty: string, separator = ","): string {
  const shown = items.slice(0, max).join(separator);
  if (items.length > max) return `${shown} + ${items.length - max} more...`;
  return orElse(shown, empty);
}

/** The addresses of a load balancer. */
export function loadBalancerText(
  ingress:
    | readonly { readonly ip?: string | undefined; readonly hostname?: string | undefined }[]
    | null
    | undefined,
): string {
  const addresses = (ingress ?? []).map(({ ip, hostname }) => ip || hostname || "").filter(Boolean);
  return [...new Set(addresses)].sort().join(",");
}

/** `True`, `False`, or `<unset>`. */
export function booleanText(value: boolean | null | undefined): string {
  if (value === undefined || value === null) return "<unset>";
  return value ? "True" : "False";
}
