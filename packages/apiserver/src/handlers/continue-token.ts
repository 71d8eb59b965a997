// The token between two pages of a list: which state is being listed, and after which key to go on. Clients hand it back
// unread; whatever else they hand in is refused in the words of the real server.
import { isObject, JsonSyntaxError, parseJson } from "../codec/index.js";
import { badRequest } from "../request/failures.js";

export interface ContinueToken {
  /** -1: whatever is there now. */
  readonly revision: number;
  readonly after: string;
}

const version = "meta.k8s.io/v1";

export function encodeContinue(token: ContinueToken): string {
  const text = JSON.stringify({ v: version, rv: token.revision, start: `${token.after}\u0000` });
  return Buffer.from(text).toString("base64url");
}

/** Throws 400. */
export function decodeContinue(text: string): ContinueToken {
  const { v, rv, start } = contentOf(text);
  if (v !== version)
    throw refused(`server does not recognize this encoded version ${JSON.stringify(v ?? "")}`);
  if (typeof rv !== "number" || rv === 0) {
    throw refused(`incorrect encoded start resourceVersion (version ${version})`);
  }
  if (typeof start !== "string" || start === "")
    throw refused(`encoded start key empty (version ${version})`);
  const after = start.replace(/\0$/, "");
  if (after.split("/").some((part) => part === "" || part === "." || part === "..")) throw refused(start);
  return { revision: rv, after };
}

function contentOf(text: string): Readonly<Record<string, unknown>> {
  const bad = /[^A-Za-z0-9_-]/.exec(text);
  if (bad) throw refused(`illegal base64 data at input byte ${bad.index}`);
  try {
    const { value } = parseJson(Buffer.from(text, "base64url"), false);
    return isObject(value) ? value : {};
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw refused(error.message);
    throw error;
  }
}

const refused = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);
