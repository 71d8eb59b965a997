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
} from "node:crypto";
import { isIPv4 } from "node:net";
import * as asn1 from "./der.js";

/** A certificate with its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** What a certificate says. */
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

/** Issues certificates that whoever trusts `certificate` accepts. */
export interface CertificateAuthority extends KeyPair {
  issue(options: CertificateOptions): KeyPair;
}

/** What the certificate of an authority says. */
export type AuthorityOptions = Pick<CertificateOptions, "commonName" | "notBefore" | "notAfter">;

const oid = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;

/** Makes a self-signed authority with a fresh key. */
export function createCertificateAuthority(options: AuthorityOptions): CertificateAuthority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = distinguishedName(options.commonName, []);
  const certificate = signCertificate({
    issuer,
    subject: issuer,
    publicKey: keys.publicKey,
    signer: keys.privateKey,
    validity: options,
    extensions: [
      extension(oid.basicConstraints, asn1.sequence(asn1.boolean(true)), true),
      extension(oid.keyUsage, asn1.bitString(Buffer.from([0b10100110]), 1), true),
      extension(oid.subjectKeyIdentifier, asn1.octetString(keyIdentifier(keys.publicKey))),
    ],
  });
  const authority = { name: issuer, keys };
  return { certificate, key: pem(keys.privateKey), issue: (leaf) => issueCertificate(authority, leaf) };
}

/** An authority that was made before, from its certificate and key. */
export function restoreCertificateAuthority(
  { certificate, key }: KeyPair,
  commonName: string,
): CertificateAuthority {
  const privateKey = createPrivateKey(key);
  const keys = { privateKey, publicKey: createPublicKey(privateKey) };
  const authority = { name: distinguishedName(commonName, []), keys };
  return { certificate, key, issue: (leaf) => issueCertificate(authority, leaf) };
}

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
    extension(
      oid.authorityKeyIdentifier,
      asn1.sequence(asn1.context(0, keyIdentifier(authority.keys.publicKey), false)),
    ),
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
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (type: string, value: string): Buffer =>
    asn1.set(asn1.sequence(asn1.objectIdentifier(type), asn1.utf8String(value)));
  return asn1.sequence(
    ...organizations.map((organization) => attribute(oid.organization, organization)),
    attribute(oid.commonName, commonName),
  );
}

function extension(type: string, value: Buffer, critical = false): Buffer {
  const flag = critical ? [asn1.boolean(true)] : [];
  return asn1.sequence(asn1.objectIdentifier(type), ...flag, asn1.octetString(value));
}

function generalName(host: string): Buffer {
  // Names hold no colons; and Node takes milliseconds to get ready to judge what an IPv6 address is.
  if (host.includes(":")) return asn1.context(7, ipv6Bytes(host), false);
  if (isIPv4(host)) return asn1.context(7, ipv4Bytes(host), false);
  return asn1.context(2, Buffer.from(host, "ascii"), false);
}

const ipv4Bytes = (address: string): Buffer => Buffer.from(address.split(".").map(Number));

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const groups = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const all = [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
  return Buffer.from(all.flatMap((group) => [group >>> 8, group & 0xff]));
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();
}

const pem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();
