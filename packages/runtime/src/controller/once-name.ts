// Names for children that are to be made once. A server that makes up a name makes up another one for each request, so that
// a creation whose answer was lost cannot be distinguished from one that never happened. A name that follows from the owner and a
// word can: the second creation meets the first.
import { createHash } from "node:crypto";
import type { KubeObject } from "@kubewright/api";

/** As in names made up by the server: no vowels, and nothing that looks like something else. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 10;
const longestName = 63;

/** The child under the name that follows from its prefix, its owner and a word. Throws unless it has a prefix only. */
export function namedOnce(child: KubeObject, owner: KubeObject, word: string): KubeObject {
  const { name, generateName, ...metadata } = child.metadata ?? {};
  if (name !== undefined || generateName === undefined)
    throw new TypeError(`a child made once (${word}) is named by its generateName, and by nothing else`);
  const digest = createHash("sha256")
    .update(`${owner.metadata?.uid ?? ""}\n${word}`)
    .digest();
  let suffix = "";
  for (const byte of digest.subarray(0, suffixLength)) suffix += alphabet.charAt(byte % alphabet.length);
  const prefix = generateName.slice(0, longestName - suffixLength);
  return { ...child, metadata: { ...metadata, name: prefix + suffix } };
}
