// The rotation of certificates, as a function of the present set and the time.
//
// A certificate is replaced in two steps, so that no call fails meanwhile: first the CA of its successor is trusted beside the
// old one (staged), then, when every API server had time to load it, the successor is served (promoted). A certificate that is
// not valid is replaced at once.
import {
  type CertificatePolicy,
  type CertificateSet,
  expiryOf,
  flawOf,
  issueUnder,
} from "./certificate-set.js";

export interface RotationPolicy extends CertificatePolicy {
  /** The time a CA is trusted before a certificate of its is served, in milliseconds. */
  readonly overlap: number;
}

export type Step =
  | { readonly do: "wait"; readonly until: number }
  | { readonly do: "replace"; readonly why: string }
  | { readonly do: "stage" }
  | { readonly do: "promote" };

/** The next step. `isTrusted` is true when the CA bundles of all configurations are up to date. */
export function nextStep(
  set: CertificateSet | undefined,
  policy: RotationPolicy,
  now: number,
  isTrusted: boolean,
): Step {
  if (!set) return { do: "replace", why: "there is none" };
  const { current, next, caBundle } = set;
  const flaw = flawOf(current, caBundle, policy, now);
  if (flaw !== undefined) return { do: "replace", why: flaw };
  const expiry = expiryOf(current.certificate);
  if (next && flawOf(next, caBundle, policy, now) === undefined)
    return promotion(next.since, expiry, policy, now, isTrusted);
  const due = expiry - policy.lifetime / 3;
  return now < due ? { do: "wait", until: due } : { do: "stage" };
}

function promotion(
  since: number,
  expiry: number,
  { overlap }: RotationPolicy,
  now: number,
  isTrusted: boolean,
): Step {
  const due = since + overlap;
  if (now < due) return { do: "wait", until: due };
  // Better a certificate that some may not trust yet than one that has expired for all.
  const last = expiry - overlap;
  return isTrusted || now >= last ? { do: "promote" } : { do: "wait", until: Math.min(last, now + overlap) };
}

/** The set after a step. */
export function taken(
  step: Exclude<Step, { readonly do: "wait" }>,
  set: CertificateSet | undefined,
  policy: RotationPolicy,
  now: number,
): CertificateSet {
  if (step.do === "promote" && set?.next) {
    const { certificate, key } = set.next;
    return { current: { certificate, key }, next: undefined, caBundle: set.caBundle };
  }
  const { pair, caBundle } = issueUnder(policy, now, set?.caBundle ?? "");
  if (step.do === "stage" && set) return { current: set.current, next: { ...pair, since: now }, caBundle };
  return { current: pair, next: undefined, caBundle };
}
