import { expectTypeOf, it } from "vitest";
import type { AdmissionReview, ConversionReview, JsonObject, UserInfo } from "./index.js";

it("AdmissionReview and ConversionReview are typed", () => {
  type Request = NonNullable<AdmissionReview["request"]>;
  expectTypeOf<Request["operation"]>().toEqualTypeOf<"CREATE" | "UPDATE" | "DELETE" | "CONNECT">();
  expectTypeOf<Request["oldObject"]>().toEqualTypeOf<JsonObject | null | undefined>();
  expectTypeOf<Request["userInfo"]>().toEqualTypeOf<UserInfo>();
  expectTypeOf<NonNullable<ConversionReview["request"]>["objects"]>().toEqualTypeOf<readonly JsonObject[]>();

  const answer = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid: "1", allowed: false, status: { code: 403, message: "no" } },
  } as const;
  expectTypeOf(answer).toExtend<AdmissionReview>();
});
