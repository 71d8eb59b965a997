// A certificate that was given: PEM blocks of certificates, and nothing else.
import { X509Certificate } from "node:crypto";
import { pemBlocks } from "../core/pem-blocks.js";

const headers = /^-----BEGIN [^\n]*\n[^\n:]+:/;

/** The problem of a certificate, as Kubernetes words it; undefined when it is valid. */
export function certificateProblem(text: string): string | undefined {
  const blocks = pemBlocks(text);
  for (const { type, pem } of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found "${type}"`;
    if (headers.test(pem)) return "no PEM block headers are permitted";
    if (!isCertificate(pem)) return "x509: malformed certificate";
  }
  return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}
