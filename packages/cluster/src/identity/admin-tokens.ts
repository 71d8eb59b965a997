// The bearer tokens of the administrator: the current one, and rotated ones until they expire.
import type { Clock } from "@kubewright/api";
import { admin, type TokenLookup } from "@kubewright/apiserver";
import type { ClusterKeys } from "./cluster-keys.js";

/** Looks the administrator up by token. */
export const adminTokens = (keys: ClusterKeys, clock: Clock): TokenLookup => ({
  get(token) {
    if (token === keys.token) return admin;
    const former = keys.formerTokens.find((each) => each.token === token);
    return former && former.until > clock.now() ? admin : undefined;
  },
});
