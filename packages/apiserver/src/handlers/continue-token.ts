// The token between two pages of a list: which state is being listed, and after which key to go on. Clients hand it back
// unread; whatever else they hand in is refused in the words of kube-apiserver.

import { isObject } from "@kubewright/api";
import { badRequest } from "@kubewright/kinds";
import { JsonSyntaxError, type MutableJson, parseJson } from "@kubewright/machinery";

export interface ContinueToken {
  /** Negative: whatever is there now. */
  readonly revision: number;
  /** The key after which to go on. */
  readonly after: string;
}

const version = "meta.k8s.io/v1";

/** Keys in a token are relative to the collection that is listed, so that no token leads out of it. */
export function encodeContinue({ revision, after }: ContinueToken, prefix: string): string {
  const text = JSON.stringify({ v: version, rv: revision, start: `/${after.slice(prefix.length)}\u0000` });
  return Buffer.from(text).toString("base64url");
}

/** Throws 400. */
export function decodeContinue(text: string, prefix: string): ContinueToken {
  const { v, rv, start } = contentOf(text);
  if (v !== version) throw refused(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw refused(`incorrect encoded start resourceVersion (version ${version})`);
  if (start === "") throw refused(`encoded start key empty (version ${version})`);
  const key = start.replace(/^\//, "");
  if (key.split("/").some((part) => part === "" || part === "." || part === "..")) throw refused(start);
  return { revision: rv, after: prefix + key.replace(/\0$/, "") };
}

interface Content {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
}

function contentOf(text: string): Content {
  const bad = /[^A-Za-z0-9_-]/.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : undefined);
  if (bad !== undefined) throw refused(`illegal base64 data at input byte ${bad}`);
  try {
    const { value } = parseJson(Buffer.from(text, "base64url"), false);
    if (value === null) return { v: "", rv: 0, start: "" };
    if (!isObject(value)) throw misfit(value, "value of type storage.continueToken");
    const { v = "", rv = 0, start = "" } = value;
    if (typeof v !== "string") throw misfit(v, "struct field continueToken.v of type string");
    if (typeof rv !== "number" || !Number.isInteger(rv))
      throw misfit(rv, "struct field continueToken.rv of type int64");
    if (typeof start !== "string") throw misfit(start, "struct field continueToken.start of type string");
    return { v, rv, start };
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw refused(error.message);
    throw error;
  }
}

function misfit(value: MutableJson, into: string): Error {
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  const shown = typeof value === "number" && !Number.isInteger(value) ? `number ${value}` : kind;
  return refused(`json: cannot unmarshal ${shown} into Go ${into}`);
}

const refused = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);
