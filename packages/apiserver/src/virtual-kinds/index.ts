import type { ResourceBehaviour } from "../registry/built-in-resources.js";
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  subjectAccessReviews,
} from "./access-reviews.js";
import { type ControlPlanePart, componentStatuses } from "./component-status.js";
import { type AuthenticateToken, selfSubjectReviews, tokenReviews } from "./identity-reviews.js";
import { selfSubjectRulesReviews } from "./rules-review.js";

export interface VirtualKindOptions {
  readonly authenticateToken: AuthenticateToken;
  readonly controlPlane: () => readonly ControlPlanePart[];
}

/** The kinds that are answered and never stored. */
export const virtualKinds = (options: VirtualKindOptions): readonly ResourceBehaviour[] => [
  tokenReviews(options.authenticateToken),
  selfSubjectReviews,
  selfSubjectAccessReviews,
  subjectAccessReviews,
  localSubjectAccessReviews,
  selfSubjectRulesReviews,
  componentStatuses(options.controlPlane),
];
