// Keeps contents of Secrets out of logs, timelines, events and conditions. An API server that refuses a Secret may repeat what was sent;
// the caller sees that, nobody else does.
import { ApiError } from "@kubewright/api";

/** The beginning of messages about calls on Secrets: `apply Secret shop/web: …`. */
const secretCall = /^\w+ Secret(?: \S+)?(?=: )/;

/** The error as it may be shown: itself, or one without what an API server said about the contents of a Secret. */
export function withoutSecretContents(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const found = refusalIn(error);
  if (!found) return error;
  const shown = shownMessage(found);
  if (error === found)
    return withStack(new ApiError(shown, { code: found.code, reason: found.reason }), error, found, shown);
  const outer = new Error(error.message.replaceAll(found.message, shown));
  outer.name = error.name;
  return withStack(outer, error, found, shown);
}

/** Messages about other failures hold names only. */
function refusalIn(error: Error): ApiError | undefined {
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < 10; each = each.cause, depth++)
    if (each instanceof ApiError && [400, 422, 500].includes(each.code) && secretCall.test(each.message))
      return each;
  return undefined;
}

const shownMessage = ({ message, reason, code }: ApiError): string =>
  `${secretCall.exec(message)?.[0] ?? "a Secret"}: ${reason} (${code}); the rest is left out, because it may repeat contents of the Secret`;

function withStack(shown: Error, error: Error, found: ApiError, message: string): Error {
  shown.stack = error.stack?.replaceAll(found.message, message) ?? message;
  return shown;
}
