// Questions about access: may I, may they, may they in this namespace.

import type {
  FieldError,
  SelfSubjectAccessReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "@kubewright/api";
import { badRequest, type DraftObject, draftAs, invalid, type UserInfo } from "@kubewright/kinds";

import type { ResourceBehaviour } from "../registry/built-in-resources.js";
import type { RequestContext } from "../registry/request-context.js";
import { evaluationError, questionAbout, userAbout } from "./access-attributes.js";
import { trackReview } from "./track-review.js";
import { validateAttributes, validateLocal, validateNoMetadata, validateSubject } from "./validate-review.js";

export const selfSubjectAccessReviews: ResourceBehaviour = {
  resource: "selfsubjectaccessreviews.authorization.k8s.io",
  async review(object, context) {
    const { spec } = draftAs<SelfSubjectAccessReview>(object);
    delete object.metadata.namespace;
    await trackReview(context, object);
    refuse([...validateAttributes(spec), ...validateNoMetadata(object.metadata, false)]);
    return { ...object, status: statusOf(context, context.user, spec) };
  },
};

export const subjectAccessReviews: ResourceBehaviour = {
  resource: "subjectaccessreviews.authorization.k8s.io",
  async review(object, context) {
    const { spec } = draftAs<SubjectAccessReview>(object);
    delete object.metadata.namespace;
    await trackReview(context, object);
    refuse([
      ...validateAttributes(spec),
      ...validateSubject(spec),
      ...validateNoMetadata(object.metadata, false),
    ]);
    return { ...object, status: statusOf(context, userAbout(spec), spec) };
  },
};

export const localSubjectAccessReviews: ResourceBehaviour = {
  resource: "localsubjectaccessreviews.authorization.k8s.io",
  async review(object, context) {
    const { spec } = draftAs<SubjectAccessReview>(object);
    const namespace = takeNamespace(object, context);
    await trackReview(context, object);
    refuse([
      ...validateAttributes(spec),
      ...validateSubject(spec),
      ...validateNoMetadata(object.metadata, true),
      ...validateLocal(spec, namespace),
    ]);
    return { ...object, status: statusOf(context, userAbout(spec), spec) };
  },
};

/** The namespace of the URL, which the body may repeat. */
function takeNamespace({ metadata }: DraftObject, { info }: RequestContext): string {
  const namespace = info.kind === "resource" ? (info.namespace ?? "") : "";
  if (metadata.namespace && metadata.namespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  metadata.namespace = namespace;
  return namespace;
}

/** kube-apiserver forgets the kind on its way to the message. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: "authorization.k8s.io", kind: "" }, "", errors);
}

function statusOf(
  { services }: RequestContext,
  user: UserInfo,
  spec: Pick<SubjectAccessReviewSpec, "resourceAttributes" | "nonResourceAttributes">,
): SubjectAccessReviewStatus {
  const { allowed, reason } = services.authorizer(questionAbout(user, spec));
  const problem = evaluationError(spec.resourceAttributes);
  return {
    allowed,
    ...(reason === "" ? {} : { reason }),
    ...(problem === "" ? {} : { evaluationError: problem }),
  };
}
