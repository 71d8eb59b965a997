// APIServices: who serves a version of a group, this server or one behind a Service.
import {
  type APIService,
  type APIServiceSpec,
  cloneJson,
  type FieldError,
  fieldError,
  formatTime,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validatePortNumber,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { invalidBecause, requiredText } from "../field-rules.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { statusAlone } from "../status-strategy.js";
import { localAvailability, withAvailability } from "./availability.js";

const statuses = ["True", "False", "Unknown"];
const securePort = 443;

export const apiServices: BuiltInKind = {
  resource: "apiservices.apiregistration.k8s.io",
  strategy: {
    hasGeneration: false,
    allowUnconditionalUpdate: false,
    metadata: { validator: "apimachinery", onUpdate: ["update", "object"] },
    validateName: (name, prefix) => validatePathSegmentName(name, { prefix }),
    applyDefaults(object) {
      const { spec } = draftAs<APIService>(object);
      if (spec?.service) spec.service.port ??= securePort;
    },
    /** A local APIService is available as soon as it is registered. */
    prepareForCreate(object, { clock }) {
      const draft = draftAs<APIService>(object);
      const conditions = withAvailability([], localAvailability, formatTime(clock.now()));
      draft.status = draft.spec?.service ? {} : { conditions: cloneJson(conditions) };
    },
    validateCreate: validateApiService,
    validateUpdate: validateApiService,
  },
  status: {
    ...statusAlone,
    validateUpdate: (object) =>
      checkEach(draftAs<APIService>(object).status?.conditions ?? [], ({ status }, index) =>
        statuses.includes(status)
          ? []
          : [fieldError.notSupported(`status.conditions[${index}].status`, status, statuses)],
      ),
  },
};

function validateApiService(object: DraftObject): FieldError[] {
  const { metadata, spec } = draftAs<APIService>(object);
  const { group = "", version = "", groupPriorityMinimum, versionPriority } = spec ?? {};
  const name = metadata?.name ?? "";
  const wanted = `${version}.${group}`;
  const legacy = "only v1 may have an empty group and it better be legacy kube";
  return [
    ...nameErrors("metadata.generateName", metadata?.generateName || wanted, wanted),
    ...nameErrors("metadata.name", name, wanted),
    ...(group === "" && version !== "v1" ? [fieldError.required("spec.group", legacy)] : []),
    ...(group === "" ? [] : invalidBecause(validateDns1123Subdomain(group), group, "spec.group")),
    ...invalidBecause(validateDns1035Label(version), version, "spec.version"),
    ...priorityErrors(groupPriorityMinimum ?? 0, 20_000, "spec.groupPriorityMinimum"),
    ...priorityErrors(versionPriority ?? 0, 1000, "spec.versionPriority"),
    ...(spec ? serverErrors(spec) : []),
  ];
}

/** The name follows from the spec, and so does the prefix it would be generated from. */
const nameErrors = (field: string, name: string, wanted: string): FieldError[] =>
  name === wanted
    ? []
    : [fieldError.invalid(field, name, `must be \`spec.version+"."+spec.group\`: "${wanted}"`)];

const priorityErrors = (value: number, most: number, field: string): FieldError[] =>
  value <= 0 || value > most
    ? [fieldError.invalid(field, value, `must be positive and less than ${most}`)]
    : [];

function portErrors(port: number): FieldError[] {
  const texts = validatePortNumber(port);
  return texts.length === 0
    ? []
    : [fieldError.invalid("spec.service.port", port, `port is not valid: ${texts.join(", ")}`)];
}

/** A local APIService has no CA bundle; a remote one is verified with one, or skips TLS verification. */
function serverErrors({
  service,
  caBundle = "",
  insecureSkipTLSVerify = false,
}: APIServiceSpec): FieldError[] {
  const trust = "spec.insecureSkipTLSVerify";
  if (!service) {
    const bytes = `${Buffer.from(caBundle, "base64").length} bytes`;
    return [
      ...(caBundle === ""
        ? []
        : [fieldError.invalid("spec.caBundle", bytes, "local APIServices may not have a caBundle")]),
      ...(insecureSkipTLSVerify
        ? [fieldError.invalid(trust, true, "local APIServices may not have insecureSkipTLSVerify")]
        : []),
    ];
  }
  return [
    ...requiredText(service.namespace, "spec.service.namespace"),
    ...requiredText(service.name, "spec.service.name"),
    ...portErrors(service.port ?? 0),
    ...(insecureSkipTLSVerify && caBundle !== ""
      ? [fieldError.invalid(trust, true, "may not be true if caBundle is present")]
      : []),
  ];
}
