// The metrics of authentication and authorization. Every request is counted here, so counting is plain and labels are made on
// scrape.

import type { UserInfo } from "@kubewright/kinds";
import { labelText, metricText } from "./exposition.js";

const known = new Set([
  "admin",
  "client",
  "kube_proxy",
  "kubelet",
  "system:serviceaccount:kube-system:default",
]);

/** Names are many, and not everyone's to see. */
const shownName = ({ name }: UserInfo): string =>
  known.has(name) ? name : name.includes("@") ? "email_id" : "other";

const tokenHelp = {
  stale: "[ALPHA] Cumulative stale projected service account tokens used",
  valid: "[ALPHA] Cumulative valid projected service account tokens used",
};

type Result = "success" | "failure" | "allowed" | "denied";

export class AccessMetrics {
  readonly #users = new Map<string, number>();
  readonly #tokens = { stale: 0, valid: 0 };
  readonly #counts: Record<Result, number> = { success: 0, failure: 0, allowed: 0, denied: 0 };

  authenticated(user: UserInfo): void {
    this.#counts.success++;
    const name = shownName(user);
    this.#users.set(name, (this.#users.get(name) ?? 0) + 1);
    // Parts of this process act as accounts too, but without tokens.
    if (user.extra && user.name.startsWith("system:serviceaccount:")) this.#tokens.valid++;
  }

  /** A token was used that should have been replaced. */
  stale(): void {
    this.#tokens.stale++;
  }

  unauthenticated(): void {
    this.#counts.failure++;
  }

  decided(allowed: boolean): void {
    this.#counts[allowed ? "allowed" : "denied"]++;
  }

  text(): string {
    const results = (...names: readonly Result[]) =>
      names.map((result) => [labelText({ result }), this.#counts[result]] as const);
    return [
      metricText(
        "authentication_attempts",
        "counter",
        "[ALPHA] Counter of authenticated attempts.",
        results("success", "failure"),
      ),
      metricText(
        "authenticated_user_requests",
        "counter",
        "[ALPHA] Counter of authenticated requests broken out by username.",
        [...this.#users].map(([username, count]) => [labelText({ username }), count]),
      ),
      metricText(
        "authorization_attempts_total",
        "counter",
        "[ALPHA] Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
        results("allowed", "denied"),
      ),
      ...(["stale", "valid"] as const).map((which) =>
        metricText(`serviceaccount_${which}_tokens_total`, "counter", tokenHelp[which], [
          ["", this.#tokens[which]],
        ]),
      ),
    ].join("");
  }
}
