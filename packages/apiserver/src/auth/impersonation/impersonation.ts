// Acting as someone else: the ways to be allowed to, tried one after the other.

import { type ApiError, isForbidden } from "@kubewright/api";
import type { AccessQuestion, Authorizer, UserInfo } from "@kubewright/kinds";

import { ImpersonationAttempt } from "./attempt.js";
import { type ImpersonationMode, impersonationModes } from "./modes.js";
import type { WantedUser } from "./wanted-user.js";

const rememberedUsers = 10_000;

/** Authorizes impersonation. Remembers the mode that last worked for a user, and tries that one first. */
export class Impersonation {
  readonly #authorizer: Authorizer;
  readonly #lastMode = new Map<string, ImpersonationMode>();

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /** The user to go on as, and the way that led there; throws 403 in the words of the first way that was tried. */
  become(wanted: WantedUser, question: AccessQuestion): { readonly user: UserInfo; readonly mode: string } {
    const last = this.#lastMode.get(question.user.name);
    const order = last ? [last, ...impersonationModes.filter((mode) => mode !== last)] : impersonationModes;
    let refusal: ApiError | undefined;
    for (const mode of order) {
      if (!mode.applies(wanted, question.user)) continue;
      try {
        const user = new ImpersonationAttempt(this.#authorizer, mode, question).become(wanted);
        this.#remember(question.user.name, mode);
        return { user, mode: mode.name };
      } catch (error) {
        if (!isForbidden(error)) throw error;
        refusal ??= error;
      }
    }
    throw refusal ?? new Error("all impersonation modes failed");
  }

  #remember(user: string, mode: ImpersonationMode): void {
    if (this.#lastMode.size >= rememberedUsers) this.#lastMode.clear();
    this.#lastMode.set(user, mode);
  }
}
