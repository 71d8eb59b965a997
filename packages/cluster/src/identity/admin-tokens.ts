// By which tokens the administrator is known: the one of now, and for a while those before it.
import type { Clock } from "@kubewright/api";
import { admin, type UserInfo } from "@kubewright/apiserver";
import type { ClusterKeys } from "./cluster-keys.js";

export class AdminTokens extends Map<string, UserInfo> {
  readonly #keys: ClusterKeys;
  readonly #clock: Clock;

  constructor(keys: ClusterKeys, clock: Clock) {
    super();
    this.#keys = keys;
    this.#clock = clock;
  }

  override get(token: string): UserInfo | undefined {
    if (token === this.#keys.token) return admin;
    const former = this.#keys.formerTokens.find((each) => each.token === token);
    return former && former.until > this.#clock.now() ? admin : undefined;
  }
}
