// OpenID discovery of the service account issuer: its configuration and public keys.
import type { TransportResponse } from "@kubewright/api";
import { checkOnlyType } from "../handlers/accepted-types.js";
import { headerOf, type RequestContext } from "../registry/request-context.js";
import type { ServiceAccountTokens } from "./service-account-tokens.js";
import { serviceAccountIssuer } from "./token-authenticator.js";

const jwksPath = "/openid/v1/jwks";
const jwksType = "application/jwk-set+json";

/** The discovery document or the keys; undefined for any other path. */
export function serveIssuer(
  context: RequestContext,
  tokens: Pick<ServiceAccountTokens, "jwks">,
  path: string,
): TransportResponse | undefined {
  switch (path) {
    case "/.well-known/openid-configuration":
      checkOnlyType(context, "application/json");
      return document("application/json", {
        issuer: serviceAccountIssuer,
        jwks_uri: `https://${headerOf(context, "host") ?? "localhost"}${jwksPath}`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"],
      });
    case jwksPath:
      checkOnlyType(context, jwksType);
      return document(jwksType, { keys: tokens.jwks });
    default:
      return undefined;
  }
}

const document = (contentType: string, value: unknown): TransportResponse => ({
  status: 200,
  headers: { "content-type": contentType, "cache-control": "public, max-age=3600" },
  body: { kind: "object", value },
});
