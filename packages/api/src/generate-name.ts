// Names for objects that state only a prefix.

/** No vowels, and nothing that looks like something else: no generated name spells a word. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxPrefixLength = 63 - suffixLength;

/** The prefix, shortened to fit a label, and five random characters. `random` yields numbers from 0 up to 1. */
export function generateName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, maxPrefixLength);
  for (let i = 0; i < suffixLength; i += 1) {
    name += alphabet.charAt(Math.floor(random() * alphabet.length));
  }
  return name;
}
