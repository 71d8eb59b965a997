// Matches webhooks with requests: rules, selectors, match conditions.

import { forbidden } from "@kubewright/kinds";
import { admissionBindings } from "../expressions/admission-bindings.js";
import type { AdmissionTarget } from "../matching/admission-target.js";
import { type MatchSubject, matchRequest } from "../matching/match-request.js";
import { requestAttributes } from "../matching/request-attributes.js";
import type { Invocation } from "./call-webhook.js";
import type { Webhook } from "./webhook.js";
import type { WorkingObject } from "./working-object.js";

/** The webhook and the version its rule matched, or undefined. Throws when that cannot be decided and it does not fail open. */
export async function invocationOf(
  webhook: Webhook,
  subject: MatchSubject,
  working: WorkingObject,
): Promise<Invocation | undefined> {
  const as = matchRequest(webhook.criteria, subject, working.request);
  if (!as) return undefined;
  return (await meetsConditions(webhook, subject, working, as)) ? { webhook, as } : undefined;
}

async function meetsConditions(
  { conditions }: Webhook,
  subject: MatchSubject,
  working: WorkingObject,
  as: AdmissionTarget,
): Promise<boolean> {
  if (conditions.isEmpty) return true;
  await working.showAs(as);
  const { object, oldObject } = working;
  const bindings = admissionBindings(subject, {
    object,
    oldObject,
    attributes: requestAttributes(subject, as),
  });
  const matches = conditions.evaluate(bindings);
  if (typeof matches === "boolean") return matches;
  const { group, resource } = subject.target.resource;
  throw forbidden({ group, resource, name: subject.request.name }, matches.error);
}
