// Certificate requests (PKCS #10): their subject and names, and the signature that proves possession of the key.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { distinguishedName, extension, generalName, pemOf } from "./certificate-parts.js";
import * as asn1 from "./der.js";
import { bitsOf, DerError, type DerValue, objectIdentifierOf, partsOf, readAll } from "./der-reader.js";
import { oid, signatureDigests } from "./object-identifiers.js";

/** A request that cannot be read. */
export class CertificateRequestError extends Error {
  override readonly name = "CertificateRequestError";
}

/** The contents of a certificate signing request. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  readonly publicKey: KeyObject;
  /** True when it is signed with the key it is for. */
  readonly isSigned: boolean;
  /** The subject, and what it is also called, as they stand there. */
  readonly subject: Buffer;
  readonly subjectAltName: Buffer | undefined;
}

const tags = { sequence: 0x30, set: 0x31, octets: 0x04, attributes: 0xa0 } as const;
const block = /-----BEGIN CERTIFICATE REQUEST-----\s+([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----/;

/** Reads a request in PEM. Throws a CertificateRequestError. */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const text = block.exec(pem)?.[1];
  if (text === undefined) throw new CertificateRequestError("PEM block type must be CERTIFICATE REQUEST");
  try {
    return readRequest(Buffer.from(text, "base64"));
  } catch (cause) {
    if (cause instanceof CertificateRequestError) throw cause;
    const why = cause instanceof DerError ? cause.message : "its key cannot be used";
    throw new CertificateRequestError(`the certificate request cannot be read: ${why}`, { cause });
  }
}

function readRequest(der: Buffer): CertificateRequest {
  const [info, algorithm, signature] = partsOf(readAll(der)[0], tags.sequence, "the request");
  const [, subject, key, attributes] = partsOf(info, tags.sequence, "what is asked for");
  if (!info || !subject || !key) throw new DerError("it ends too early");
  const publicKey = createPublicKey({ key: key.raw, format: "der", type: "spki" });
  const names = namesOf(subject);
  const subjectAltName = requestedExtension(attributes, oid.subjectAltName);
  return {
    commonName: names.get(oid.commonName)?.at(-1) ?? "",
    organizations: names.get(oid.organization) ?? [],
    ...alternatives(subjectAltName),
    publicKey,
    isSigned: isSignedBy(publicKey, info.raw, algorithm, signature),
    subject: subject.raw,
    subjectAltName,
  };
}

/** The texts of a distinguished name, by what they are. */
function namesOf(subject: DerValue): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const set of partsOf(subject, tags.sequence, "the subject")) {
    for (const pair of partsOf(set, tags.set, "a part of the subject")) {
      const [type, value] = partsOf(pair, tags.sequence, "a part of the subject");
      const id = objectIdentifierOf(type, "the type of a name");
      names.set(id, [...(names.get(id) ?? []), value?.content.toString("utf8") ?? ""]);
    }
  }
  return names;
}

/** The value of an extension the request asks for. */
function requestedExtension(attributes: DerValue | undefined, wanted: string): Buffer | undefined {
  if (attributes?.tag !== tags.attributes) return undefined;
  for (const attribute of readAll(attributes.content)) {
    const [type, values] = partsOf(attribute, tags.sequence, "an attribute");
    if (objectIdentifierOf(type, "the type of an attribute") !== oid.extensionRequest) continue;
    const [extensions] = partsOf(values, tags.set, "the extensions");
    for (const each of partsOf(extensions, tags.sequence, "the extensions")) {
      const parts = partsOf(each, tags.sequence, "an extension");
      if (objectIdentifierOf(parts[0], "the type of an extension") === wanted) return parts.at(-1)?.content;
    }
  }
  return undefined;
}

type Alternatives = Pick<CertificateRequest, "dnsNames" | "ipAddresses" | "emailAddresses" | "uris">;

function alternatives(subjectAltName: Buffer | undefined): Alternatives {
  const names = subjectAltName ? partsOf(readAll(subjectAltName)[0], tags.sequence, "the other names") : [];
  const texts = (kind: number): string[] =>
    names.filter(({ tag }) => tag === (0x80 | kind)).map(({ content }) => content.toString("latin1"));
  const addresses = names.filter(({ tag }) => tag === 0x87).map(({ content }) => addressText(content));
  return { emailAddresses: texts(1), dnsNames: texts(2), uris: texts(6), ipAddresses: addresses };
}

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) throw new DerError("an IP address has 4 or 16 bytes");
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)).join(":");
}

function isSignedBy(
  key: KeyObject,
  signed: Buffer,
  algorithm: DerValue | undefined,
  signature: DerValue | undefined,
): boolean {
  const [type] = partsOf(algorithm, tags.sequence, "the way of signing");
  const digest = signatureDigests.get(objectIdentifierOf(type, "the way of signing"));
  return digest !== undefined && verify(digest, signed, key, bitsOf(signature, "the signature"));
}

/** The fields of a new certificate signing request. */
export interface CertificateRequestOptions {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
  /** DNS names and IP addresses. */
  readonly hosts?: readonly string[] | undefined;
}

/** A request, and the key it is for, both PEM. */
export interface RequestWithKey {
  readonly request: string;
  readonly key: string;
}

/** Makes a fresh key and a request for a certificate of it. */
export function createCertificateRequest(options: CertificateRequestOptions): RequestWithKey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { commonName, organizations = [], hosts = [] } = options;
  const names = extension(oid.subjectAltName, asn1.sequence(...hosts.map(generalName)));
  const asked = asn1.sequence(
    asn1.objectIdentifier(oid.extensionRequest),
    asn1.set(asn1.sequence(...(hosts.length > 0 ? [names] : []))),
  );
  const info = asn1.sequence(
    asn1.integer(Buffer.from([0])),
    distinguishedName(commonName, organizations),
    publicKey.export({ type: "spki", format: "der" }),
    asn1.context(0, asked),
  );
  const algorithm = asn1.sequence(asn1.objectIdentifier(oid.ecdsaWithSha256));
  const request = asn1.sequence(info, algorithm, asn1.bitString(sign("sha256", info, privateKey)));
  return {
    request: pemOf("CERTIFICATE REQUEST", request),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
