// CertificateSigningRequests: the request is immutable and records its user; approvers and signers add the
// approval and the certificate later.
import {
  type CertificateSigningRequest,
  type Draft,
  type FieldError,
  fieldError,
  formatTime,
  validatePathSegmentName,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { invalidBecause } from "../field-rules.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { keepField } from "../status-strategy.js";
import type { Strategy } from "../strategy.js";
import type { StrategyContext } from "../strategy-context.js";
import { certificateProblem } from "./validate-certificate.js";
import { validateCertificateRequest } from "./validate-certificate-request.js";
import { validateConditions, validateRemoved, validateUndecided } from "./validate-conditions.js";

type Request = Draft<CertificateSigningRequest>;

export const certificateSigningRequests: BuiltInKind = {
  resource: "certificatesigningrequests.certificates.k8s.io",
  strategy: {
    hasGeneration: false,
    metadata: { onUpdate: ["update", "object"] },
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
    prepareForUpdate: (object, old) => keepField(object, old, "spec"),
    validateCreate: (object) => validateCertificateRequest(draftAs<CertificateSigningRequest>(object).spec),
  },
  status: {
    ...conditionRules((request, before) => [
      ...validateUndecided(request.status?.conditions ?? [], before.status?.conditions ?? []),
      ...replacedErrors(request, before),
    ]),
  },
  subresources: {
    approval: { hasGeneration: false, resetFields: ["spec"], ...conditionRules(() => [], true) },
  },
};

/** An unreadable certificate that stays unchanged is not reported. */
function contentErrors({ status }: Request, before: CertificateSigningRequest): FieldError[] {
  const [now, then] = [status?.certificate ?? "", before.status?.certificate ?? ""];
  if (now === then || now === "" || (then !== "" && problemOf(then).length > 0)) return [];
  return invalidBecause(problemOf(now), "<certificate data>", "status.certificate");
}

function problemOf(certificate: string): string[] {
  const problem = certificateProblem(Buffer.from(certificate, "base64").toString("latin1"));
  return problem === undefined ? [] : [problem];
}

/** A certificate is given once. */
function replacedErrors({ status }: Request, before: CertificateSigningRequest): FieldError[] {
  const then = before.status?.certificate ?? "";
  if (then === "" || (status?.certificate ?? "") === then) return [];
  return [fieldError.forbidden("status.certificate", "updates may not modify existing certificate content")];
}

type ConditionRule = (request: Request, before: CertificateSigningRequest) => FieldError[];

/** Writes that may change conditions, but neither the request nor, through `approval`, the certificate. */
function conditionRules(
  own: ConditionRule,
  keepsCertificate = false,
): Required<Pick<Strategy, "metadata" | "prepareForUpdate" | "validateUpdate">> {
  return {
    metadata: { onUpdate: ["update", "object"] },
    prepareForUpdate(object: DraftObject, old: StoredObject, { clock }: StrategyContext) {
      keepField(object, old, "spec");
      const request = draftAs<CertificateSigningRequest>(object);
      const before = storedAs<CertificateSigningRequest>(old);
      request.status ??= {};
      if (keepsCertificate) {
        if (before.status?.certificate === undefined) delete request.status.certificate;
        else request.status.certificate = before.status.certificate;
      }
      stampConditions(request, before, formatTime(clock.now()));
    },
    validateUpdate(object: DraftObject, old: StoredObject) {
      const request = draftAs<CertificateSigningRequest>(object);
      const before = storedAs<CertificateSigningRequest>(old);
      const conditions = request.status?.conditions ?? [];
      return [
        ...validateConditions(conditions),
        ...contentErrors(request, before),
        ...validateRemoved(conditions, before.status?.conditions ?? []),
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
