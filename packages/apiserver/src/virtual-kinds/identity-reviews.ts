// TokenReview and SelfSubjectReview: the user of a token, and the user of the request.

import { formatTime, type TokenReview, type TokenReviewStatus } from "@kubewright/api";
import { badRequest, draftAs } from "@kubewright/kinds";
import { apiAudiences, InvalidToken, type TokenIdentity } from "../auth/token-authenticator.js";

import type { ResourceBehaviour } from "../registry/built-in-resources.js";
import { trackReview } from "./track-review.js";
import { userFields } from "./user-fields.js";

/** Authenticates a bearer token; throws InvalidToken. */
export type AuthenticateToken = (token: string, audiences: readonly string[]) => TokenIdentity;

export const tokenReviews = (authenticateToken: AuthenticateToken): ResourceBehaviour => ({
  resource: "tokenreviews.authentication.k8s.io",
  async review(object, context) {
    const { spec } = draftAs<TokenReview>(object);
    if (!spec.token) throw badRequest("token is required for TokenReview in authentication");
    await trackReview(context, object);
    const audiences = spec.audiences?.length ? spec.audiences : apiAudiences;
    return { ...object, status: tokenStatus(authenticateToken, spec.token, audiences) };
  },
});

function tokenStatus(
  authenticateToken: AuthenticateToken,
  token: string,
  asked: readonly string[],
): TokenReviewStatus {
  try {
    const { user, audiences } = authenticateToken(token, asked);
    return { authenticated: true, user: userFields(user), audiences };
  } catch (error) {
    if (!(error instanceof InvalidToken)) throw error;
    return { user: {}, error: error.message };
  }
}

export const selfSubjectReviews: ResourceBehaviour = {
  resource: "selfsubjectreviews.authentication.k8s.io",
  review: ({ apiVersion, kind }, { user, services }) => ({
    apiVersion,
    kind,
    metadata: { creationTimestamp: formatTime(services.clock.now()) },
    status: { userInfo: userFields(user) },
  }),
};
