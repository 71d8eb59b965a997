// The next thing to say about a definition: step by step from new to established.
import type { CustomResourceDefinition } from "@kubewright/api";
import { type ConditionNews, isKnown } from "../kinds/apiextensions/conditions.js";
import { approvalCondition } from "./approval-condition.js";
import { decideNames, namesTaken } from "./naming.js";
import { isTrue } from "./served-definition.js";

/** What changes in the status of a definition, and in its finalizers. */
export interface StatusNews {
  readonly acceptedNames?: CustomResourceDefinition["spec"]["names"] | undefined;
  readonly conditions: readonly ConditionNews[];
  readonly finalizers?: readonly string[] | undefined;
}

/** Undefined when everything has been said. */
export function nextStatus(
  definition: CustomResourceDefinition,
  all: () => Iterable<CustomResourceDefinition>,
): StatusNews | undefined {
  return nameNews(definition, all) ?? establishedNews(definition) ?? approvalNews(definition);
}

function nameNews(
  definition: CustomResourceDefinition,
  all: () => Iterable<CustomResourceDefinition>,
): StatusNews | undefined {
  const decided = decideNames(definition, () => namesTaken(definition, all()));
  if (!decided) return undefined;
  const isSame =
    sameNames(definition.status?.acceptedNames, decided.acceptedNames) &&
    decided.conditions.slice(0, 1).every((condition) => isKnown(definition, condition));
  return isSame ? undefined : decided;
}

const sameNames = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

function establishedNews(definition: CustomResourceDefinition): StatusNews | undefined {
  if (!isTrue(definition, "NamesAccepted") || isTrue(definition, "Established")) return undefined;
  const condition: ConditionNews = hasBrokenBundle(definition)
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
  return isKnown(definition, condition) ? undefined : { conditions: [condition] };
}

/** Objects could not be converted with it. */
function hasBrokenBundle({ spec }: CustomResourceDefinition): boolean {
  const bundle = spec.conversion?.webhook?.clientConfig?.caBundle;
  if (!bundle) return false;
  return !Buffer.from(bundle, "base64").toString("latin1").includes("-----BEGIN CERTIFICATE-----");
}

function approvalNews(definition: CustomResourceDefinition): StatusNews | undefined {
  const condition = approvalCondition(definition);
  return condition && !isKnown(definition, condition) ? { conditions: [condition] } : undefined;
}
