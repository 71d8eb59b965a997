import { expect, test } from "vitest";
import { forwardedHeaders } from "./remote-user.js";

const user = { name: "jane", groups: [] };
const token = "base64url.bearer.authorization.k8s.io.dG9rZW4";

test.each([
  [`${token}, v4.channel.k8s.io`, "v4.channel.k8s.io"],
  [`v4.channel.k8s.io,${token}`, "v4.channel.k8s.io"],
  [token, undefined],
  ["v5.channel.k8s.io, v4.channel.k8s.io", "v5.channel.k8s.io, v4.channel.k8s.io"],
])("an aggregated server is offered the protocols of %j without the token", (offered, expected) => {
  const headers = forwardedHeaders(
    { "sec-websocket-protocol": offered, authorization: "Bearer token" },
    user,
  );
  expect(headers["sec-websocket-protocol"]).toBe(expected);
  expect(JSON.stringify(headers)).not.toContain("dG9rZW4");
  expect(headers["authorization"]).toBeUndefined();
});
