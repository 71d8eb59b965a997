// Certificates for TLS listeners, webhooks and client identities: P-256 keys, signed with ECDSA and SHA-256.
// Written on node:crypto alone because the libraries that do this cost more to load than the whole API server.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { distinguishedName, extension, generalName, pemOf } from "./certificate-parts.js";
import type { CertificateRequest } from "./certificate-request.js";
import * as asn1 from "./der.js";
import { extendedKeyUsages, keyUsageBits } from "./key-usages.js";
import { oid } from "./object-identifiers.js";

/** A certificate with its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The contents of a certificate. */
export interface CertificateOptions {
  readonly commonName: string;
  /** Kubernetes reads a client certificate's organizations as groups. */
  readonly organizations?: readonly string[] | undefined;
  /** DNS names and IP addresses a server certificate is good for. */
  readonly hosts?: readonly string[] | undefined;
  readonly usage: "server" | "client";
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A CA: issues certificates that are trusted wherever `certificate` is. */
export interface CertificateAuthority extends KeyPair {
  /** A certificate for a fresh key. */
  issue(options: CertificateOptions): KeyPair;
  /** A certificate, in PEM, for the key of a request. Throws when the request is not signed with that key. */
  sign(request: CertificateRequest, options: SigningOptions): string;
  /** Cross-signs another CA: returns a certificate, in PEM, with which clients that trust this CA trust that one too. */
  crossSign(other: Pick<KeyPair, "certificate">, options: AuthorityOptions): string;
}

/** The fields of a signed certificate besides those of the request. */
export interface SigningOptions extends Pick<CertificateOptions, "notBefore" | "notAfter"> {
  /** In the words of the certificates API: `digital signature`, `client auth`. */
  readonly usages: readonly string[];
}

/** The fields of the certificate of a CA. */
export type AuthorityOptions = Pick<CertificateOptions, "commonName" | "notBefore" | "notAfter">;

/** Makes a self-signed CA with a fresh key. */
export function createCertificateAuthority(options: AuthorityOptions): CertificateAuthority {
  return selfSigned(generateKeyPairSync("ec", { namedCurve: "P-256" }), options);
}

/** The same CA with another validity: its key stays, so that certificates it signed remain trusted. */
export function renewCertificateAuthority(
  { key }: Pick<KeyPair, "key">,
  options: AuthorityOptions,
): CertificateAuthority {
  const privateKey = createPrivateKey(key);
  return selfSigned({ privateKey, publicKey: createPublicKey(privateKey) }, options);
}

function selfSigned(keys: Issuer["keys"], options: AuthorityOptions): CertificateAuthority {
  const issuer = distinguishedName(options.commonName, []);
  const certificate = signCertificate({
    issuer,
    subject: issuer,
    publicKey: keys.publicKey,
    signer: keys.privateKey,
    validity: options,
    extensions: authorityExtensions(keys.publicKey),
  });
  return authorityOf({ certificate, key: pem(keys.privateKey) }, { name: issuer, keys });
}

const authorityExtensions = (publicKey: KeyObject): Buffer[] => [
  extension(oid.basicConstraints, asn1.sequence(asn1.boolean(true)), true),
  extension(oid.keyUsage, asn1.bitString(Buffer.from([0b10100110]), 1), true),
  extension(oid.subjectKeyIdentifier, asn1.octetString(keyIdentifier(publicKey))),
];

/** A CA that was made before, from its certificate and key. */
export function restoreCertificateAuthority(
  { certificate, key }: KeyPair,
  commonName: string,
): CertificateAuthority {
  const privateKey = createPrivateKey(key);
  const keys = { privateKey, publicKey: createPublicKey(privateKey) };
  return authorityOf({ certificate, key }, { name: distinguishedName(commonName, []), keys });
}

const authorityOf = (pair: KeyPair, issuer: Issuer): CertificateAuthority => ({
  ...pair,
  issue: (options) => issueCertificate(issuer, options),
  sign: (request, options) => signRequest(issuer, request, options),
  crossSign: ({ certificate }, options) =>
    crossSigned(issuer, new X509Certificate(certificate).publicKey, options),
});

interface Issuer {
  readonly name: Buffer;
  readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
}

function issueCertificate(authority: Issuer, options: CertificateOptions): KeyPair {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const usage = options.usage === "server" ? oid.serverAuth : oid.clientAuth;
  const extensions = [
    extension(oid.basicConstraints, asn1.sequence(), true),
    extension(oid.keyUsage, asn1.bitString(Buffer.from([0b10100000]), 5), true),
    extension(oid.extendedKeyUsage, asn1.sequence(asn1.objectIdentifier(usage))),
    authorityKey(authority),
  ];
  if (options.hosts?.length) {
    extensions.push(extension(oid.subjectAltName, asn1.sequence(...options.hosts.map(generalName))));
  }
  const certificate = signCertificate({
    issuer: authority.name,
    subject: distinguishedName(options.commonName, options.organizations ?? []),
    publicKey: keys.publicKey,
    signer: authority.keys.privateKey,
    validity: options,
    extensions,
  });
  return { certificate, key: pem(keys.privateKey) };
}

function crossSigned(authority: Issuer, publicKey: KeyObject, options: AuthorityOptions): string {
  return signCertificate({
    issuer: authority.name,
    subject: distinguishedName(options.commonName, []),
    publicKey,
    signer: authority.keys.privateKey,
    validity: options,
    extensions: [...authorityExtensions(publicKey), authorityKey(authority)],
  });
}

function signRequest(authority: Issuer, request: CertificateRequest, options: SigningOptions): string {
  if (!request.isSigned)
    throw new Error("unable to verify certificate request signature: it is not that of its key");
  const usage = keyUsageBits(options.usages);
  const purposes = extendedKeyUsages(options.usages);
  return signCertificate({
    issuer: authority.name,
    subject: request.subject,
    publicKey: request.publicKey,
    signer: authority.keys.privateKey,
    validity: options,
    extensions: [
      ...(usage ? [extension(oid.keyUsage, usage, true)] : []),
      ...(purposes ? [extension(oid.extendedKeyUsage, purposes)] : []),
      extension(oid.basicConstraints, asn1.sequence(), true),
      authorityKey(authority),
      ...(request.subjectAltName ? [extension(oid.subjectAltName, request.subjectAltName)] : []),
    ],
  });
}

const authorityKey = ({ keys }: Issuer): Buffer =>
  extension(oid.authorityKeyIdentifier, asn1.sequence(asn1.context(0, keyIdentifier(keys.publicKey), false)));

interface ToBeSigned {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly validity: { readonly notBefore: number; readonly notAfter: number };
  readonly extensions: readonly Buffer[];
}

function signCertificate(parts: ToBeSigned): string {
  const algorithm = asn1.sequence(asn1.objectIdentifier(oid.ecdsaWithSha256));
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = asn1.sequence(
    asn1.context(0, asn1.integer(Buffer.from([2]))),
    asn1.integer(serial),
    algorithm,
    parts.issuer,
    asn1.sequence(asn1.time(parts.validity.notBefore), asn1.time(parts.validity.notAfter)),
    parts.subject,
    parts.publicKey.export({ type: "spki", format: "der" }),
    asn1.context(3, asn1.sequence(...parts.extensions)),
  );
  const certificate = asn1.sequence(body, algorithm, asn1.bitString(sign("sha256", body, parts.signer)));
  return pemOf("CERTIFICATE", certificate);
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();
}

const pem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();
