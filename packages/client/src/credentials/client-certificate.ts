import type { Clock } from "@kubewright/api";
import type { Credential, Credentials } from "./credentials.js";
import { RotatingFile } from "./rotating-file.js";

/** A PEM text, or the file that holds it. */
export type Pem = { readonly data: string } | { readonly path: string };

/** A client certificate and key; those in files are followed as they rotate. `others` adds headers, such as a token. */
export function certificateCredentials(cert: Pem, key: Pem, clock: Clock, others?: Credentials): Credentials {
  const readCert = pemReader(cert, "client certificate", clock);
  const readKey = pemReader(key, "client key", clock);
  const compose = async (): Promise<Credential> => {
    const [certText, keyText, rest] = await Promise.all([readCert(), readKey(), others?.current()]);
    return { ...rest, certificate: { cert: certText, key: keyText } };
  };
  return { current: compose, ...(others?.renew && { renew: others.renew.bind(others) }) };
}

/** Reads a PEM text; from its file again when that has changed. */
export function pemReader(pem: Pem, what: string, clock: Clock): () => Promise<string> {
  if ("data" in pem) return () => Promise.resolve(pem.data);
  const file = new RotatingFile(pem.path, what, clock);
  return () => file.read();
}
