// PriorityLevelConfigurations: how much of the server a level may use, and what becomes of requests beyond that.
import {
  type FieldError,
  fieldError,
  type LimitedPriorityLevelConfiguration,
  type LimitResponse,
  type ObjectMeta,
  type PriorityLevelConfiguration,
  type PriorityLevelConfigurationSpec,
  type QueuingConfiguration,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { statusAlone } from "../status-strategy.js";
import { conditionErrors } from "./flow-conditions.js";
import { validateMandatoryLevel } from "./mandatory-configuration.js";

const types = ["Exempt", "Limited"];
const responses = ["Queue", "Reject"];
const mostQueues = 10_000_000;
const mostBits = 60;

export const priorityLevelConfigurations: BuiltInKind = {
  resource: "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
  strategy: {
    metadata: { onUpdate: ["object"] },
    applyDefaults: applyDefaults,
    validateCreate: validateLevel,
    validateUpdate: validateLevel,
  },
  status: {
    ...statusAlone,
    metadata: { onUpdate: [] },
    validateUpdate: (object) =>
      conditionErrors(draftAs<PriorityLevelConfiguration>(object).status?.conditions ?? []),
  },
};

function applyDefaults(object: DraftObject): void {
  const { spec } = draftAs<PriorityLevelConfiguration>(object);
  if (spec?.exempt) {
    spec.exempt.nominalConcurrencyShares ??= 0;
    spec.exempt.lendablePercent ??= 0;
  }
  if (!spec?.limited) return;
  spec.limited.nominalConcurrencyShares ??= 30;
  spec.limited.lendablePercent ??= 0;
  const queuing = spec.limited.limitResponse?.queuing;
  if (!queuing) return;
  queuing.handSize ||= 8;
  queuing.queues ||= 64;
  queuing.queueLengthLimit ||= 50;
}

function validateLevel(object: DraftObject): FieldError[] {
  const { metadata, spec, status } = draftAs<PriorityLevelConfiguration>(object);
  return [
    ...annotationErrors(metadata),
    ...(spec ? specErrors(spec, metadata?.name ?? "") : []),
    ...validateMandatoryLevel(metadata?.name ?? "", spec),
    ...conditionErrors(status?.conditions ?? []),
  ];
}

const roundTrip = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/** The annotation for round trips through an older version is never stored. */
const annotationErrors = (metadata: ObjectMeta | undefined): FieldError[] =>
  metadata?.annotations?.[roundTrip] === undefined
    ? []
    : [fieldError.forbidden("metadata.annotations", `annotation '${roundTrip}' is forbidden`)];

function specErrors(spec: PriorityLevelConfigurationSpec, name: string): FieldError[] {
  const { type, exempt, limited } = spec;
  const onlyExempt = "must be 'Exempt' if and only if `name` is 'exempt'";
  const errors =
    (name === "exempt") === (type === "Exempt") ? [] : [fieldError.invalid("spec.type", type, onlyExempt)];
  if (type === "Exempt") {
    if (limited) errors.push(fieldError.forbidden("spec.limited", "must be nil if the type is not Limited"));
    return exempt ? [...errors, ...shareErrors(exempt, "spec.exempt")] : errors;
  }
  if (!type) return [...errors, fieldError.required("spec.type")];
  if (type !== "Limited") return [...errors, fieldError.notSupported("spec.type", type, types)];
  if (exempt) errors.push(fieldError.forbidden("spec.exempt", "must be nil if the type is Limited"));
  return limited
    ? [...errors, ...limitedErrors(limited, "spec.limited")]
    : [...errors, fieldError.required("spec.limited", "must not be empty when type is Limited")];
}

function limitedErrors(limited: LimitedPriorityLevelConfiguration, field: string): FieldError[] {
  const { borrowingLimitPercent: borrowing, limitResponse = { type: "" } } = limited;
  return [
    ...shareErrors(limited, field),
    ...(borrowing !== undefined && borrowing < 0
      ? [
          fieldError.invalid(
            `${field}.borrowingLimitPercent`,
            borrowing,
            "if specified, must be a non-negative integer",
          ),
        ]
      : []),
    ...responseErrors(limitResponse, `${field}.limitResponse`),
  ];
}

function shareErrors(
  shares: Pick<LimitedPriorityLevelConfiguration, "nominalConcurrencyShares" | "lendablePercent">,
  field: string,
): FieldError[] {
  const { nominalConcurrencyShares: nominal = 0, lendablePercent: lendable = 0 } = shares;
  const percent = "must be between 0 and 100, inclusive";
  return [
    ...(nominal < 0
      ? [fieldError.invalid(`${field}.nominalConcurrencyShares`, nominal, "must be a non-negative integer")]
      : []),
    ...(lendable < 0 || lendable > 100
      ? [fieldError.invalid(`${field}.lendablePercent`, lendable, percent)]
      : []),
  ];
}

function responseErrors({ type, queuing }: LimitResponse, field: string): FieldError[] {
  const at = `${field}.queuing`;
  if (type === "Reject") {
    const text = "must be nil if limited.limitResponse.type is not Limited";
    return queuing ? [fieldError.forbidden(at, text)] : [];
  }
  if (!type) return [fieldError.required(`${field}.type`)];
  if (type !== "Queue") return [fieldError.notSupported(`${field}.type`, type, responses)];
  const text = "must not be empty if limited.limitResponse.type is Limited";
  return queuing ? queuingErrors(queuing, at) : [fieldError.required(at, text)];
}

function queuingErrors(queuing: QueuingConfiguration, field: string): FieldError[] {
  const { queueLengthLimit = 0, queues = 0, handSize = 0 } = queuing;
  const positive = (name: string, value: number): FieldError[] =>
    value <= 0 ? [fieldError.invalid(`${field}.${name}`, value, "must be positive")] : [];
  return [
    ...positive("queueLengthLimit", queueLengthLimit),
    ...positive("queues", queues),
    ...(queues > mostQueues
      ? [fieldError.invalid(`${field}.queues`, queues, `must not be greater than ${mostQueues}`)]
      : []),
    ...positive("handSize", handSize),
    ...(handSize > 0 ? handErrors(handSize, queues, `${field}.handSize`) : []),
  ];
}

/** A hand is drawn from the bits of one hash. */
function handErrors(handSize: number, queues: number, field: string): FieldError[] {
  if (handSize > queues)
    return [fieldError.invalid(field, handSize, `should not be greater than queues (${queues})`)];
  let bits = 0;
  for (let drawn = 0; drawn < handSize && bits <= mostBits; drawn += 1) bits += Math.log2(queues - drawn);
  if (Math.ceil(bits) <= mostBits) return [];
  const text = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${mostBits}`;
  return [fieldError.invalid(field, handSize, text)];
}
