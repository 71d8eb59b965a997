// Texts with several certificates and a key in them, as Secrets and mongod's files hold them.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const keyBlock = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]+?-----END \1PRIVATE KEY-----/;

export const certificateBlocks = (text: string): readonly string[] => text.match(certificateBlock) ?? [];

/** Certificates that were read last, by their text: every reconcile reads the same few. */
const recent = new Map<string, X509Certificate>();
const mostRecent = 64;

function certificateOf(block: string): X509Certificate {
  const known = recent.get(block) ?? new X509Certificate(block);
  recent.delete(block);
  recent.set(block, known);
  const [oldest] = recent.keys();
  if (recent.size > mostRecent && oldest !== undefined) recent.delete(oldest);
  return known;
}

/** The certificates in a text, in their order. Throws where one cannot be read. */
export const certificatesIn = (text: string): readonly X509Certificate[] =>
  certificateBlocks(text).map(certificateOf);

/** The private key in a text. Throws where there is none that can be read. */
export function keyIn(text: string): KeyObject {
  const [block] = keyBlock.exec(text) ?? [];
  if (block === undefined) throw new Error("there is no private key");
  return createPrivateKey(block);
}

/** The certificates of several texts, each once. */
export const together = (...texts: readonly string[]): string =>
  `${[...new Set(texts.flatMap(certificateBlocks))].join("\n")}\n`;
