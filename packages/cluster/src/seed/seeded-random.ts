// Everything a cluster draws comes from one seed when it is given one: names, uids, jitter. Each purpose has a stream of its
// own, so that one more draw here changes nothing there.

/** A seed of random numbers. */
export type Seed = string | number;

/** A repeatable source, uniform in [0, 1). The same seed and purpose give the same numbers. */
export function seededRandom(seed: Seed, purpose: string): () => number {
  let a = hash(`${typeof seed} ${seed} ${purpose}`, 0x9e3779b9);
  let b = hash(`${typeof seed} ${seed} ${purpose}`, 0x85ebca6b);
  let c = 0x6d2b79f5;
  let counter = 1;
  // sfc32: small, fast, and good enough for everything but secrets.
  const next = (): number => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 0x1_0000_0000;
  };
  for (let index = 0; index < 12; index++) next();
  return next;
}

/** Version 4 uids whose bits are drawn from the source. */
export function uidsFrom(random: () => number): () => string {
  const hex = (digits: number): string =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  const variant = (): string => (8 + Math.floor(random() * 4)).toString(16);
  return () => `${hex(8)}-${hex(4)}-4${hex(3)}-${variant()}${hex(3)}-${hex(6)}${hex(6)}`;
}

function hash(text: string, start: number): number {
  let value = start;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
    value ^= value >>> 15;
  }
  return value | 0;
}
