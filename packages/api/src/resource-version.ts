// Resource versions are opaque to most, but every server since 1.35 promises growing decimal numbers, by which a
// cache knows whether what arrives is newer. They can exceed 2^53, so they are compared as text.

const shape = /^(?:0|[1-9][0-9]*)$/;

/** As for a sort: negative when `a` is older. Undefined when either is no number, and the order thus unknown. */
export function compareResourceVersions(a: string, b: string): -1 | 0 | 1 | undefined {
  if (!shape.test(a) || !shape.test(b)) return undefined;
  if (a === b) return 0;
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return a < b ? -1 : 1;
}
