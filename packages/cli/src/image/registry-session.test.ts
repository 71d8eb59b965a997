import { expect, test } from "vitest";
import { parseChallenge } from "./registry-session.js";

test.each([
  [
    'Bearer realm="https://auth.example.com/token",service="registry.example.com",scope="repository:a/b:pull"',
    "bearer",
    {
      realm: "https://auth.example.com/token",
      service: "registry.example.com",
      scope: "repository:a/b:pull",
    },
  ],
  ['bearer realm="x, y" , service=plain', "bearer", { realm: "x, y", service: "plain" }],
  ['Basic realm="Registry"', "basic", { realm: "Registry" }],
  ["Negotiate", "negotiate", {}],
  ["", "", {}],
])("%s is taken apart", (header, scheme, parameters) => {
  const challenge = parseChallenge(header);
  expect({ ...challenge, parameters: Object.fromEntries(challenge.parameters) }).toEqual({
    scheme,
    parameters,
  });
});
