// Validates CertificateSigningRequests: the PEM request, the signer name and the usages.
import {
  type CertificateSigningRequestSpec,
  type FieldError,
  fieldError,
  utf8Length,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from "@kubewright/api";
import { CertificateRequestError, parseCertificateRequest } from "@kubewright/api/x509";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import { repeated } from "../repeated.js";

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];
const shortestSeconds = 600;
const maxSignerName = 253 + 1 + 63 + 1 + 253;

export function validateCertificateRequest(spec: CertificateSigningRequestSpec): FieldError[] {
  const { request, usages: wanted = [], signerName, expirationSeconds } = spec;
  const twice = repeated(wanted);
  return [
    ...invalidBecause(requestProblem(request ?? ""), request ?? null, "spec.request"),
    ...(wanted.length === 0 ? [fieldError.required("spec.usages")] : []),
    ...checkEach(wanted, (usage, index) =>
      usages.includes(usage) ? [] : [fieldError.notSupported(`spec.usages[${index}]`, usage, usages)],
    ),
    ...checkEach(wanted, (usage, index) =>
      twice.has(index) ? [fieldError.duplicate(`spec.usages[${index}]`, usage)] : [],
    ),
    ...signerErrors(signerName, "spec.signerName"),
    ...(expirationSeconds !== undefined && expirationSeconds < shortestSeconds
      ? [
          fieldError.invalid(
            "spec.expirationSeconds",
            expirationSeconds,
            "may not specify a duration less than 600 seconds (10 minutes)",
          ),
        ]
      : []),
  ];
}

const unsigned: Readonly<Record<string, string>> = {
  ec: "x509: ECDSA verification failure",
  ed25519: "x509: Ed25519 verification failure",
};

/** The certificate request can be parsed, and its signature proves that the requester has the key. */
function requestProblem(request: string): string[] {
  try {
    const { isSigned, publicKey } = parseCertificateRequest(
      Buffer.from(request, "base64").toString("latin1"),
    );
    return isSigned ? [] : [unsigned[publicKey.asymmetricKeyType ?? ""] ?? "crypto/rsa: verification error"];
  } catch (error) {
    if (error instanceof CertificateRequestError) return [error.message];
    throw error;
  }
}

/** A domain and a path: `example.com/signer`. */
function signerErrors(name: string, field: string): FieldError[] {
  if (name === "") return [fieldError.required(field)];
  if (name === "kubernetes.io/legacy-unknown")
    return [fieldError.invalid(field, name, "the legacy signerName is not allowed via this API version")];
  const segments = name.split("/");
  const [domain = "", path = ""] = segments;
  if (segments.length !== 2) {
    const text = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [fieldError.invalid(field, name, text)];
  }
  if (domain.split(".").length < 2) {
    const text = "should be a domain with at least two segments separated by dots";
    return [fieldError.invalid(field, domain, text)];
  }
  return [
    ...invalidBecause(validateDns1123Subdomain(domain), domain, field),
    ...(path === "" ? [fieldError.invalid(field, path, 'validating label "": must not be empty')] : []),
    ...invalidBecause(validatePathSegmentName(path), path, field),
    ...(utf8Length(name) > maxSignerName ? [fieldError.tooLong(field, maxSignerName)] : []),
  ];
}
