import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { forClient } from "./for-client.js";
import type { TunnelResponse } from "./listener/tunnel.js";

const request = { method: "GET", path: "/" } as const;

test("forClient: a response carries the Audit-ID, that of the client where it sends one", () => {
  const answer = { status: 200, headers: { a: "b" }, body: { kind: "empty" } } as const;
  const adapted = forClient(request, answer, { flow: undefined, onSent: undefined });
  expect(adapted).toMatchObject({
    ...answer,
    headers: { a: "b", "audit-id": expect.stringMatching(/^[0-9a-f-]{36}$/) },
  });
  const headers = { "audit-id": "mine" };
  expect(
    forClient({ ...request, headers }, answer, { flow: undefined, onSent: undefined }).headers["audit-id"],
  ).toBe("mine");
});

test("forClient: a tunnelled response keeps its tunnel", () => {
  const tunnel = { socket: new PassThrough(), head: Buffer.alloc(0), rawHeaders: [] };
  const answer: TunnelResponse = { status: 101, headers: {}, body: { kind: "empty" }, tunnel };
  expect(forClient(request, answer, { flow: undefined, onSent: undefined })).toMatchObject({ tunnel });
});
