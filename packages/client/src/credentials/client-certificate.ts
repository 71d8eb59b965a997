import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Clock } from "@kubewright/api";
import type { Credential, Credentials } from "./credentials.js";
import { RotatingFile } from "./rotating-file.js";

/** A PEM text, or the file that holds it. */
export type Pem = { readonly data: string } | { readonly path: string };

type Pair = NonNullable<Credential["certificate"]>;

/** A client certificate and key; those in files are followed as they rotate. `others` adds headers, such as a token. */
export function certificateCredentials(cert: Pem, key: Pem, clock: Clock, others?: Credentials): Credentials {
  const readCert = pemReader(cert, "client certificate", clock);
  const readKey = pemReader(key, "client key", clock);
  let good: Pair | undefined;
  const pair = async (): Promise<Pair> => {
    const read = { cert: await readCert(), key: await readKey() };
    if (good === undefined || (read.cert === good.cert && read.key === good.key)) good ??= read;
    // The two files are replaced one after the other; half of a new pair is of no use yet.
    else if (fitTogether(read)) good = read;
    return good;
  };
  const current = async (): Promise<Credential> => ({
    ...(await others?.current()),
    certificate: await pair(),
  });
  return { current, ...(others?.renew && { renew: others.renew.bind(others) }) };
}

function fitTogether({ cert, key }: Pair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Reads a PEM text; from its file again when that has changed. */
export function pemReader(pem: Pem, what: string, clock: Clock): () => Promise<string> {
  if ("data" in pem) return () => Promise.resolve(pem.data);
  const file = new RotatingFile(pem.path, what, clock);
  return () => file.read();
}
