import type { NativeKind } from "../../registry/native-kinds.js";
import { selfSubjectReviews, tokenReviews } from "./reviews.js";

/** The kinds that are about who someone is. */
export const authenticationKinds: readonly NativeKind[] = [tokenReviews, selfSubjectReviews];
