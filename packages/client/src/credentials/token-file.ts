import type { Clock } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import { bearer, type Credentials } from "./credentials.js";
import { RotatingFile } from "./rotating-file.js";

/** A bearer token in a file, such as a service account's: read again every minute, and when it is refused. */
export function tokenFileCredentials(path: string, clock: Clock): Credentials {
  const file = new RotatingFile(path, "token file", clock);
  return {
    async current() {
      const token = (await file.read()).trim();
      if (token === "") throw new ConfigError(`the token file ${path} is empty`);
      return bearer(token);
    },
    renew: () => file.changed(),
  };
}
