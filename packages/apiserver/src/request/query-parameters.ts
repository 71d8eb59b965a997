// Values of query parameters as Go reads them: the first one counts, and what cannot be read is refused in its words.

import { goQuote } from "@kubewright/api";
import { badRequest } from "@kubewright/kinds";

const maxInteger = 2n ** 63n - 1n;

/** A whole number of 64 bits; undefined when there is none. Throws 400. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const problem = integerProblem(text);
  if (problem !== undefined) throw badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: ${problem}`);
  return Number(text);
}

function integerProblem(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return "invalid syntax";
  const value = BigInt(text.replace(/^\+/, ""));
  return value > maxInteger || value < -maxInteger - 1n ? "value out of range" : undefined;
}

/** True for every value but "0" and "false"; undefined when it is absent. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)?.toLowerCase();
  return text === undefined ? undefined : text !== "false" && text !== "0";
}
