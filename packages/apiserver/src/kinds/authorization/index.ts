import type { NativeKind } from "../../registry/native-kinds.js";
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  subjectAccessReviews,
} from "./access-reviews.js";
import { selfSubjectRulesReviews } from "./rules-review.js";

/** The kinds that are about who may do what. */
export const authorizationKinds: readonly NativeKind[] = [
  selfSubjectAccessReviews,
  subjectAccessReviews,
  localSubjectAccessReviews,
  selfSubjectRulesReviews,
];
