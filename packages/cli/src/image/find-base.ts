// The base image that the user named: a file or folder, or a reference to a registry.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../command.js";
import { readBaseFile } from "./base-file.js";
import type { Base } from "./base-image.js";
import { type PullOptions, pullBase } from "./base-pull.js";
import type { Credentials } from "./credentials.js";
import { parseReference } from "./reference.js";
import { TemporaryError, UnreachableError } from "./retry.js";

/** Node.js on Debian, without a shell or a package manager, for linux/amd64, arm64 and others. */
export const defaultBase = "gcr.io/distroless/nodejs22-debian12:nonroot";

export interface FindOptions extends Omit<PullOptions, "credentials"> {
  credentialsFor(registry: string): Promise<Credentials | undefined>;
}

/** Reads or pulls a base; the failure of a pull names what to do without a network. */
export async function findBase(name: string, options: FindOptions): Promise<Base> {
  const path = resolve(name);
  if (existsSync(path)) return readBaseFile(path);
  const reference = /^[./~]|\.(tar|tgz|gz)$/.test(name) ? undefined : parseReference(name);
  if (!reference)
    throw new UsageError(
      `--base ${name}: there is no such file or folder, and it is no reference to an image`,
    );
  try {
    return await pullBase(reference, {
      ...options,
      credentials: await options.credentialsFor(reference.registry),
    });
  } catch (error) {
    if (!(error instanceof TemporaryError || error instanceof UnreachableError)) throw error;
    throw new Error(
      `the base image ${name} cannot be pulled: ${error.message}. Without a network, give --base FILE: an OCI layout, or an archive that docker save or crane pull wrote elsewhere`,
      { cause: error },
    );
  }
}
