import { describe, expect, it } from "vitest";
import { SharedWork } from "./shared-work.js";

function started() {
  let finish: () => void = () => undefined;
  let signal: AbortSignal | undefined;
  const work = new SharedWork((given) => {
    signal = given;
    return new Promise((resolve) => (finish = resolve));
  });
  return { work, finish: () => finish(), isCancelled: () => signal?.aborted };
}

describe("SharedWork", () => {
  it("continues while one request waits for it", async () => {
    const { work, finish, isCancelled } = started();
    const [one, other] = [new AbortController(), new AbortController()];
    const waiting = [work.wait(one.signal), work.wait(other.signal)];
    one.abort();
    await expect(waiting[0]).rejects.toMatchObject({ code: 504 });
    expect(isCancelled()).toBe(false);
    finish();
    await waiting[1];
    other.abort();
    expect(work.isAbandoned).toBe(false);
  });

  it("is cancelled when the last waiting request is aborted", async () => {
    const { work, isCancelled } = started();
    const clients = [new AbortController(), new AbortController()];
    const waiting = clients.map(({ signal }) => work.wait(signal));
    for (const client of clients) client.abort();
    for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe("rejected");
    expect([isCancelled(), work.isAbandoned]).toEqual([true, true]);
  });

  it("is never cancelled while a request without a signal waits", async () => {
    const { work, finish, isCancelled } = started();
    const client = new AbortController();
    const waiting = [work.wait(undefined), work.wait(client.signal)];
    client.abort();
    await expect(waiting[1]).rejects.toMatchObject({ reason: "Timeout" });
    finish();
    await waiting[0];
    expect(isCancelled()).toBe(false);
  });

  it("rejects a request that is aborted already", async () => {
    const { work, isCancelled } = started();
    await expect(work.wait(AbortSignal.abort())).rejects.toMatchObject({ reason: "Timeout" });
    expect(isCancelled()).toBe(false);
  });
});
