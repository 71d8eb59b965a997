import { describe, expect, test } from "vitest";
import { LocalGuard } from "./local-guard.js";

describe("metrics and timelines without TLS", () => {
  const guard = new LocalGuard("127.0.0.1", "secret");
  test.each([
    ["with the token", { host: "127.0.0.1:8080", authorization: "Bearer secret" }, 200],
    ["with the token, by name", { host: "localhost:8080", authorization: "Bearer secret" }, 200],
    ["with the token, over IPv6", { host: "[::1]:8080", authorization: "Bearer secret" }, 200],
    ["without a token", { host: "127.0.0.1:8080" }, 401],
    ["with another token", { host: "127.0.0.1:8080", authorization: "Bearer secre" }, 401],
    ["for a host that leads here", { host: "evil.example:8080", authorization: "Bearer secret" }, 403],
    ["for a host that begins alike", { host: "127.0.0.1.evil.example", authorization: "Bearer secret" }, 403],
    ["without a host", { authorization: "Bearer secret" }, 403],
  ])("%s", async (_, headers, status) => {
    expect(await guard.check(headers, "/metrics")).toMatchObject({ status });
  });

  test("are for everybody where no token was set, and check the host all the same", async () => {
    const open = new LocalGuard("127.0.0.1", undefined);
    expect(await open.check({ host: "localhost:1" }, "/metrics")).toEqual({ status: 200 });
    expect(await open.check({ host: "evil.example" }, "/metrics")).toMatchObject({ status: 403 });
    expect(await new LocalGuard("0.0.0.0", undefined).check({ host: "node-1:1" }, "/")).toEqual({
      status: 200,
    });
  });
});
