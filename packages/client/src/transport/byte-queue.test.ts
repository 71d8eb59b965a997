import { describe, expect, it } from "vitest";
import { ByteQueue } from "./byte-queue.js";

function queueWithLog() {
  const log: string[] = [];
  const queue = new ByteQueue({
    pause: () => log.push("pause"),
    resume: () => log.push("resume"),
    cancel: () => log.push("cancel"),
  });
  return { queue, log };
}

describe("ByteQueue", () => {
  it("hands over what waits in one piece, then what comes", async () => {
    const { queue } = queueWithLog();
    queue.push(Buffer.from("ab"));
    queue.push(Buffer.from("c"));
    expect(Buffer.from((await queue.next()).value!).toString()).toBe("abc");
    const waiting = queue.next();
    queue.push(Buffer.from("d"));
    expect(Buffer.from((await waiting).value!).toString()).toBe("d");
    queue.end();
    expect((await queue.next()).done).toBe(true);
  });

  it("stops the source while the reader is behind", async () => {
    const { queue, log } = queueWithLog();
    for (let i = 0; i < 5; i++) queue.push(Buffer.alloc(400_000));
    expect(log).toEqual(["pause"]);
    await queue.next();
    expect(log).toEqual(["pause", "resume"]);
  });

  it("delivers what came before a failure, then the failure once", async () => {
    const { queue } = queueWithLog();
    queue.push(Buffer.from("a"));
    queue.fail(new Error("broken"));
    expect((await queue.next()).done).toBe(false);
    await expect(queue.next()).rejects.toThrow("broken");
    expect((await queue.next()).done).toBe(true);
  });

  it("notifies the source once when the reader leaves, and frees a reader that waits", async () => {
    const { queue, log } = queueWithLog();
    const waiting = queue.next();
    await queue.return();
    await queue.return();
    expect((await waiting).done).toBe(true);
    expect(log).toEqual(["cancel"]);
  });
});
