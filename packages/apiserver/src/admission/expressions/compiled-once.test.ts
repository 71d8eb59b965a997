import { expect, it } from "vitest";
import { CompiledOnce } from "./compiled-once.js";

it("CompiledOnce compiles on first use only", () => {
  let compilations = 0;
  const once = new CompiledOnce(() => `compiled ${++compilations}`);
  expect([once.get(), once.get()]).toEqual(["compiled 1", "compiled 1"]);
});
