// The OpenAPI v2 document of a server behind this one, asked for again only as far as it has changed. What was learnt last
// stays while the server cannot say.
import { createHash } from "node:crypto";
import type { GroupVersion } from "@kubewright/api";
import { type SwaggerPart, swaggerPart } from "../openapi/swagger-part.js";
import { discard, jsonOf } from "./ask-extension.js";
import type { Asking } from "./remote-documents.js";

/** The OpenAPI v2 document of one group version, with its version. */
export interface RemoteSwagger {
  readonly etag: string;
  readonly part: SwaggerPart;
  /** Whether the server itself gave the tag, and can be asked with it. */
  readonly isTagged: boolean;
}

/** Undefined when it has none. Throws when it does not answer as it should. */
export async function remoteSwagger(
  ask: Asking,
  { group, version }: GroupVersion,
  known: RemoteSwagger | undefined,
): Promise<RemoteSwagger | undefined> {
  const headers = {
    accept: "application/json",
    ...(known?.isTagged ? { "if-none-match": known.etag } : {}),
  };
  const answer = await ask({ method: "GET", path: "/openapi/v2", headers });
  if (answer.status !== 200) await discard(answer);
  if (answer.status === 304 && known) return known;
  if (answer.status === 404) return undefined;
  if (answer.status !== 200)
    throw new Error(`failed to retrieve openAPI spec, http error: ResponseCode: ${answer.status}`);
  const part = swaggerPart(await jsonOf(answer), `/apis/${group}/${version}/`);
  const given = answer.headers["etag"];
  if (typeof given === "string" && given !== "") return { etag: given, part, isTagged: true };
  const etag = createHash("sha512").update(JSON.stringify(part)).digest("hex");
  return known?.etag === etag ? known : { etag, part, isTagged: false };
}
