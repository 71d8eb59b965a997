// CertificateSigningRequests: the request is fixed and carries who made it; approval and the certificate come later, by
// those who may give them.
import {
  type CertificateSigningRequest,
  type FieldError,
  fieldError,
  formatTime,
  validatePathSegmentName,
} from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import { keep } from "../../registry/status-strategy.js";
import type { Strategy } from "../../registry/strategy.js";
import type { RequestContext } from "../../request/context.js";
import type { Draft, DraftObject } from "../../request/draft.js";
import type { StoredObject } from "../../storage/index.js";
import { draftAs, storedAs } from "../as-kind.js";
import { validateCertificateRequest } from "./validate-certificate-request.js";
import { validateConditions } from "./validate-conditions.js";

type Request = Draft<CertificateSigningRequest>;

export const certificateSigningRequests: NativeKind = {
  resource: "certificatesigningrequests.certificates.k8s.io",
  strategy: {
    hasGeneration: false,
    repeatsMetadataChecks: 1,
    selectableFields: ["spec.signerName"],
    validateName: (name, prefix) => validatePathSegmentName(name, { prefix }),
    prepareForCreate(object, { user }) {
      const { spec } = draftAs<CertificateSigningRequest>(object);
      delete spec.uid;
      delete spec.extra;
      spec.username = user.name;
      spec.groups = [...user.groups];
      if (user.uid) spec.uid = user.uid;
      if (user.extra)
        spec.extra = Object.fromEntries(
          Object.entries(user.extra).map(([key, values]) => [key, [...values]]),
        );
    },
    prepareForUpdate: (object, old) => keep(object, old, "spec"),
    validateCreate: (object) => validateCertificateRequest(draftAs<CertificateSigningRequest>(object).spec),
  },
  status: {
    ...conditionRules((request, before) => [
      ...decided(request)
        .filter((type) => !decided(before).includes(type))
        .map((type) =>
          fieldError.forbidden("status.conditions", `updates may not add a condition of type "${type}"`),
        ),
      ...certificateErrors(request, before),
    ]),
  },
  subresources: {
    approval: {
      strategy: { hasGeneration: false, resetFields: ["spec"], ...conditionRules(() => [], true) },
    },
  },
};

/** A certificate is given once. */
function certificateErrors({ status }: Request, before: CertificateSigningRequest): FieldError[] {
  const field = "status.certificate";
  const now = status?.certificate ?? "";
  const then = before.status?.certificate ?? "";
  if (now === then) return [];
  const text = Buffer.from(now, "base64").toString("latin1");
  const found = /-----BEGIN ([^-]*)-----/.exec(text)?.[1];
  return [
    ...(now !== "" && found === undefined
      ? [fieldError.invalid(field, "<certificate data>", "must contain at least one CERTIFICATE PEM block")]
      : []),
    ...(found !== undefined && found !== "CERTIFICATE"
      ? [
          fieldError.invalid(
            field,
            "<certificate data>",
            `only CERTIFICATE PEM blocks are allowed, found "${found}"`,
          ),
        ]
      : []),
    ...(then === ""
      ? []
      : [fieldError.forbidden(field, "updates may not modify existing certificate content")]),
  ];
}

const has = ({ status }: CertificateSigningRequest, type: string): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type);

const decided = (request: CertificateSigningRequest): string[] =>
  ["Approved", "Denied"].filter((type) => has(request, type));

type ConditionRule = (request: Request, before: CertificateSigningRequest) => FieldError[];

/** Writes that may change conditions, but neither the request nor, through `approval`, the certificate. */
function conditionRules(
  own: ConditionRule,
  keepsCertificate = false,
): Required<Pick<Strategy, "repeatsMetadataChecks" | "prepareForUpdate" | "validateUpdate">> {
  return {
    repeatsMetadataChecks: 1,
    prepareForUpdate(object: DraftObject, old: StoredObject, { services }: RequestContext) {
      keep(object, old, "spec");
      const request = draftAs<CertificateSigningRequest>(object);
      const before = storedAs<CertificateSigningRequest>(old);
      request.status ??= {};
      if (keepsCertificate) {
        if (before.status?.certificate === undefined) delete request.status.certificate;
        else request.status.certificate = before.status.certificate;
      }
      stampConditions(request, before, formatTime(services.clock.now()));
    },
    validateUpdate(object: DraftObject, old: StoredObject) {
      const request = draftAs<CertificateSigningRequest>(object);
      const before = storedAs<CertificateSigningRequest>(old);
      return [
        ...validateConditions(request.status?.conditions ?? [], before.status?.conditions ?? []),
        ...own(request, before),
      ];
    },
  };
}

function stampConditions({ status }: Request, before: CertificateSigningRequest, now: string): void {
  for (const condition of status?.conditions ?? []) {
    condition.lastUpdateTime ??= now;
    if (condition.lastTransitionTime) continue;
    const same = before.status?.conditions?.find(
      ({ type, status: then }) => type === condition.type && then === condition.status,
    );
    condition.lastTransitionTime = same?.lastTransitionTime ?? now;
  }
}
