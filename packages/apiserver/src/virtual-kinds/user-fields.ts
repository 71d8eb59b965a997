import type { UserInfo as UserFields } from "@kubewright/api";
import type { UserInfo } from "@kubewright/kinds";

/** A user as reviews show them: what is empty is left out, extra fields in order. */
export function userFields({ name, uid, groups, extra = {} }: UserInfo): UserFields {
  const keys = Object.keys(extra).sort();
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(keys.length > 0 ? { extra: Object.fromEntries(keys.map((key) => [key, extra[key] ?? []])) } : {}),
  };
}
