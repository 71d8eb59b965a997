// Questions about identity: whom a token stands for, and who is asking.
import { formatTime, type TokenReview, type TokenReviewStatus } from "@kubewright/api";
import { apiAudiences, InvalidToken } from "../../auth/token-authenticator.js";
import type { NativeKind } from "../../registry/native-kinds.js";
import type { RequestContext } from "../../request/context.js";
import { badRequest } from "../../request/failures.js";
import { draftAs } from "../as-kind.js";
import { trackReview } from "../track-review.js";
import { userFields } from "./user-fields.js";

export const tokenReviews: NativeKind = {
  resource: "tokenreviews.authentication.k8s.io",
  async review(object, context) {
    const { spec } = draftAs<TokenReview>(object);
    if (!spec.token) throw badRequest("token is required for TokenReview in authentication");
    await trackReview(context, object);
    const audiences = spec.audiences?.length ? spec.audiences : apiAudiences;
    return { ...object, status: tokenStatus(context, spec.token, audiences) };
  },
};

function tokenStatus(
  { services }: RequestContext,
  token: string,
  asked: readonly string[],
): TokenReviewStatus {
  try {
    const { user, audiences } = services.authenticateToken(token, asked);
    return { authenticated: true, user: userFields(user), audiences };
  } catch (error) {
    if (!(error instanceof InvalidToken)) throw error;
    return { user: {}, error: error.message };
  }
}

export const selfSubjectReviews: NativeKind = {
  resource: "selfsubjectreviews.authentication.k8s.io",
  review: ({ apiVersion, kind }, { user, services }) => ({
    apiVersion,
    kind,
    metadata: { creationTimestamp: formatTime(services.clock.now()) },
    status: { userInfo: userFields(user) },
  }),
};
