// The resource name of a kind, guessed as Kubernetes' own code generators guess it.

const vowels = new Set("aeiou");

/** The lower-case English plural of a kind: `CronTab` → `crontabs`, `ModelBox` → `modelboxes`, `Policy` → `policies`. */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/(?:[sxz]|ch|sh)$/.test(singular)) return `${singular}es`;
  if (singular.endsWith("y") && !vowels.has(singular.at(-2) ?? "a")) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
