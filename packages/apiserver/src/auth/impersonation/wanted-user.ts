// The user that the `Impersonate-*` headers of a request ask for.

import { goQuote, type TransportRequest } from "@kubewright/api";
import { badRequest } from "@kubewright/kinds";

/** A user as the headers describe them, nothing added. */
export interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

const prefix = "impersonate-";
const extraPrefix = "impersonate-extra-";

/** Values of a header that was sent several times are kept apart by this, which no value can hold. */
export const headerValueSeparator = "\n";

/** The user to impersonate; undefined without impersonation headers. Throws 400 when the user name is missing. */
export function wantedUser(headers: TransportRequest["headers"]): WantedUser | undefined {
  if (!headers || !Object.keys(headers).some((name) => name.startsWith(prefix))) return undefined;
  const name = first(headers[`${prefix}user`]);
  const uid = first(headers[`${prefix}uid`]);
  const groups = valuesOf(headers[`${prefix}group`]);
  const extra = new Map<string, string[]>();
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(extraPrefix)) continue;
    const key = unescapeKey(header.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(value)]);
  }
  const wanted = { name, uid, groups, extra };
  if (name !== "") return wanted;
  if (uid === "" && groups.length === 0 && extra.size === 0) return undefined;
  throw badRequest(`requested ${goUser(wanted)} without impersonating a user name`);
}

const valuesOf = (header: string | undefined): string[] => header?.split(headerValueSeparator) ?? [];

const first = (header: string | undefined): string => valuesOf(header)[0] ?? "";

/** Names of extra fields may hold what header names may not. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** As `%#v` prints it. */
function goUser({ name, uid, groups, extra }: WantedUser): string {
  const list = (values: readonly string[]) => `[]string{${values.map(goQuote).join(", ")}}`;
  const entries = [...extra].sort(([a], [b]) => (a < b ? -1 : 1));
  const fields = entries.map(([key, values]) => `${goQuote(key)}:${list(values)}`).join(", ");
  const shownGroups = groups.length === 0 ? "[]string(nil)" : list(groups);
  const shownExtra = extra.size === 0 ? "map[string][]string(nil)" : `map[string][]string{${fields}}`;
  return `&user.DefaultInfo{Name:${goQuote(name)}, UID:${goQuote(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}
