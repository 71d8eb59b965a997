// Errors of failed calls, worded as Go's client words them, because people search for these sentences.
import { goQuote } from "@kubewright/api";

const sentences: ReadonlyMap<number, string> = new Map([
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [409, "the server reported a conflict"],
  [422, "the server rejected our request due to an error in our request"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [503, "the server is currently unable to handle the request"],
  [
    504,
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
]);

const shownBytes = 2048;

/** The message of a Status, where the answer is one; else a sentence for the code, with the answer where it may explain. */
export function failedCall(status: number, answer: string): string {
  const own = statusMessage(answer);
  if (own !== undefined) return own;
  const sentence = sentences.get(status);
  if (sentence !== undefined) return sentence;
  const text = answer.trim().slice(0, shownBytes) || "unknown";
  if (status === 406 && text === "unknown")
    return "the server was unable to respond with a content type that the client supports";
  if (status === 403 || status === 406 || status === 415) return text;
  if (status < 500)
    return `the server responded with the status code ${status} but did not return more information`;
  return `an error on the server (${goQuote(text)}) has prevented the request from succeeding`;
}

function statusMessage(answer: string): string | undefined {
  if (!answer.includes('"Status"')) return undefined;
  try {
    const { kind, message } = JSON.parse(answer);
    return kind === "Status" && typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
