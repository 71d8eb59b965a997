// Resource versions are opaque to clients and whole numbers to the server.
import { goQuote } from "@kubewright/api";

const maxRevision = 2n ** 64n - 1n;

/** The number behind a version; undefined when it is none. Those beyond what JavaScript counts are only too large. */
export const parseRevision = (version: string): number | undefined =>
  revisionProblem(version) === undefined ? Number(version) : undefined;

/** Why a version is no number, in the words of Go; undefined when it is one. */
export function revisionProblem(version: string): string | undefined {
  const problem = (why: string): string => `strconv.ParseUint: parsing ${goQuote(version)}: ${why}`;
  if (!/^\d+$/.test(version)) return problem("invalid syntax");
  if (version.length > 15 && BigInt(version) > maxRevision) return problem("value out of range");
  return undefined;
}

/** kube-apiserver's message for a resourceVersion that is no number; gets and watches answer with it and status 500. */
export const notARevision = (version: string): string =>
  `resourceVersion: Invalid value: ${goQuote(version)}: ${revisionProblem(version)}`;
