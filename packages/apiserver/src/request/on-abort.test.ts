import { expect, test } from "vitest";
import { onAbort } from "./on-abort.js";

test("onAbort: calls back once, at once when already aborted, and not after it is cancelled", () => {
  const controller = new AbortController();
  const calls: string[] = [];
  onAbort(controller.signal, () => calls.push("a"));
  onAbort(controller.signal, () => calls.push("b"))();
  onAbort(undefined, () => calls.push("c"))();
  controller.abort();
  onAbort(controller.signal, () => calls.push("d"));
  expect(calls).toEqual(["a", "d"]);
});
