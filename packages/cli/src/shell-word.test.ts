import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "./shell-word.js";

test.each(["shop", "/tmp/a-b_c.d", "My Shop", "it's", "$HOME", "a;b", "", "`id`", "~"])(
  "the shell reads %j as one word",
  (text) => {
    const { stdout } = spawnSync("sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" });
    expect(stdout).toBe(text);
  },
);

test("words that need no quotes get none", () => {
  expect(shellWord("/tmp/shop")).toBe("/tmp/shop");
});
