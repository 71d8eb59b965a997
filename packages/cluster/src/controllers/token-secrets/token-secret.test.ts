import type { Secret, ServiceAccount } from "@kubewright/api";
import { expect, test } from "vitest";
import { planSecret } from "./token-secret.js";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const data = { "ca.crt": base64("CA"), namespace: base64("shop") };
const account: ServiceAccount = { metadata: { name: "robot", namespace: "shop", uid: "1" } };
const secret = (held: Record<string, string>, uid?: string): Secret => ({
  metadata: {
    name: "s",
    namespace: "shop",
    annotations: uid === undefined ? {} : { "kubernetes.io/service-account.uid": uid },
  },
  data: held,
});

test.each([
  ["an empty one is filled", secret({}), account, { needsToken: true, data }],
  ["one with a token keeps it", secret({ token: "t" }, "1"), account, { needsToken: false, data }],
  ["a full one is left alone", secret({ ...data, token: "t" }, "1"), account, "nothing"],
  [
    "an old certificate is replaced",
    secret({ ...data, "ca.crt": "old", token: "t" }, "1"),
    account,
    { needsToken: false, data },
  ],
  ["one of no account goes", secret({}), undefined, "delete"],
  ["one of an account that was there before goes", secret({}, "0"), account, "delete"],
])("service account token Secret: %s", (_, one, its, expected) => {
  expect(planSecret(one, its, "CA")).toEqual(expected);
});
