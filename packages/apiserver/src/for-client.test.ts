import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { forClient } from "./for-client.js";
import type { TunnelResponse } from "./listener/tunnel.js";

const request = { method: "GET", path: "/" } as const;

test("an answer has an id, that of the client where it brings one", () => {
  const answer = { status: 200, headers: { a: "b" }, body: { kind: "empty" } } as const;
  const told = forClient(request, answer, { flow: undefined, onSent: undefined });
  expect(told).toMatchObject({
    ...answer,
    headers: { a: "b", "audit-id": expect.stringMatching(/^[0-9a-f-]{36}$/) },
  });
  const headers = { "audit-id": "mine" };
  expect(
    forClient({ ...request, headers }, answer, { flow: undefined, onSent: undefined }).headers["audit-id"],
  ).toBe("mine");
});

test("a connection that is handed on stays one", () => {
  const tunnel = { socket: new PassThrough(), head: Buffer.alloc(0), rawHeaders: [] };
  const answer: TunnelResponse = { status: 101, headers: {}, body: { kind: "empty" }, tunnel };
  expect(forClient(request, answer, { flow: undefined, onSent: undefined })).toMatchObject({ tunnel });
});
