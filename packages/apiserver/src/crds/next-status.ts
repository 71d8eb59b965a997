// The next status update of a CRD on its way from new to established.

import type { CustomResourceDefinition } from "@kubewright/api";
import { type ConditionUpdate, hasCondition } from "@kubewright/kinds";

import { approvalCondition } from "./approval-condition.js";
import { decideNames, namesTaken } from "./naming.js";
import { isTrue } from "./served-crd.js";

/** Changes of a CRD's status and finalizers. */
export interface StatusNews {
  readonly acceptedNames?: CustomResourceDefinition["spec"]["names"] | undefined;
  readonly conditions: readonly ConditionUpdate[];
  readonly finalizers?: readonly string[] | undefined;
}

/** Undefined when the status is up to date. */
export function nextStatus(
  crd: CustomResourceDefinition,
  all: () => Iterable<CustomResourceDefinition>,
): StatusNews | undefined {
  return nameNews(crd, all) ?? establishedNews(crd) ?? approvalNews(crd);
}

function nameNews(
  crd: CustomResourceDefinition,
  all: () => Iterable<CustomResourceDefinition>,
): StatusNews | undefined {
  const decided = decideNames(crd, () => namesTaken(crd, all()));
  if (!decided) return undefined;
  const isSame =
    sameNames(crd.status?.acceptedNames, decided.acceptedNames) &&
    decided.conditions.slice(0, 1).every((condition) => hasCondition(crd, condition));
  return isSame ? undefined : decided;
}

const sameNames = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

function establishedNews(crd: CustomResourceDefinition): StatusNews | undefined {
  if (!isTrue(crd, "NamesAccepted") || isTrue(crd, "Established")) return undefined;
  const condition: ConditionUpdate = hasBrokenBundle(crd)
    ? {
        type: "Established",
        status: "False",
        reason: "InvalidCABundle",
        message: "The conversion webhook CABundle is invalid",
      }
    : {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      };
  return hasCondition(crd, condition) ? undefined : { conditions: [condition] };
}

/** Whether the CA bundle of the conversion webhook is invalid. */
function hasBrokenBundle({ spec }: CustomResourceDefinition): boolean {
  const bundle = spec.conversion?.webhook?.clientConfig?.caBundle;
  if (!bundle) return false;
  return !Buffer.from(bundle, "base64").toString("latin1").includes("-----BEGIN CERTIFICATE-----");
}

function approvalNews(crd: CustomResourceDefinition): StatusNews | undefined {
  const condition = approvalCondition(crd);
  return condition && !hasCondition(crd, condition) ? { conditions: [condition] } : undefined;
}
