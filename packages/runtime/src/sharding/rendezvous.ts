// Rendezvous hashing: each member has a weight for each key, and the heaviest owns it. When a member comes or goes only its
// own keys move, and everybody who knows the members works out the same owners.

/** A number for a text, evenly spread (FNV-1a, then mixed). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mixed(hash);
}

/** The weight of a member for a key, from their hashes. */
export function weightOf(member: number, key: number): number {
  return mixed(member ^ Math.imul(key, 0x9e3779b1));
}

function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
