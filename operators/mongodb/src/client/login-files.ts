// How a program of the operator's image logs in to members: who it is stands in its task or its settings, and what proves that is in files.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Credentials } from "./mongo-member.js";

/** Who logs in: a user with a password, or one of $external with a certificate. */
export interface AgentLogin {
  readonly user: string;
  readonly db: "admin" | "$external";
}

/** The keys of the Secret that a login needs, which become files of the same names. */
export const loginFiles = ({ db }: AgentLogin): readonly string[] =>
  db === "$external" ? ["tls.crt", "tls.key"] : ["password"];

/** Reads the files of a login. Rejects where one is missing. */
export async function loginIn(folder: string, { user, db }: AgentLogin): Promise<Credentials> {
  const [first = "", second = ""] = await Promise.all(
    loginFiles({ user, db }).map(async (name) => (await readFile(join(folder, name), "utf8")).trim()),
  );
  return db === "$external"
    ? { mechanism: "MONGODB-X509", user, db, certificate: first, key: second }
    : { user, db, password: first, mechanism: "SCRAM-SHA-256" };
}
