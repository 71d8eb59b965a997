import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type CompletedCommand, completionScript } from "./completion.js";

const commands: readonly CompletedCommand[] = [
  {
    words: "create api",
    aliases: ["add api"],
    summary: "Add a kind, it's easy",
    options: {
      kind: { type: "string", description: "the kind" },
      template: { type: "string", description: "which", choices: ["minimal", "app"] },
    },
    choices: [],
  },
  {
    words: "completion",
    aliases: [],
    summary: "Print a script",
    options: {},
    choices: ["bash", "zsh", "fish"],
  },
  {
    words: "run",
    aliases: [],
    summary: "Run",
    options: { embedded: { type: "boolean", description: "here" } },
    choices: [],
  },
  {
    words: "run again",
    aliases: [],
    summary: "Run again",
    options: { twice: { type: "boolean", description: "or more" } },
    choices: ["now", "later"],
  },
];

/** What bash would offer after these words. */
function offered(...words: string[]): readonly string[] {
  const script = `${completionScript("bash", commands)}
COMP_WORDS=(kubewright ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; cd /; _kubewright; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").filter((line) => line !== "");
}

const hasBash = spawnSync("bash", ["-c", "true"]).status === 0;

describe.skipIf(!hasBash)("bash offers", () => {
  test.each([
    [[""], ["create", "add", "completion", "run", "--help", "--version"]],
    [["co"], ["completion"]],
    [["create", ""], ["api"]],
    [
      ["create", "api", "--"],
      ["--kind", "--template", "--help"],
    ],
    [["add", "api", "--k"], ["--kind"]],
    [["create", "api", "--template", "m"], ["minimal"]],
    [["completion", "z"], ["zsh"]],
    [["run", "--e"], ["--embedded"]],
    [
      ["run", ""],
      ["--embedded", "--help", "again"],
    ],
    [["run", "--embedded", "--h"], ["--help"]],
    [["run", "again", "--t"], ["--twice"]],
    [["run", "again", "n"], ["now"]],
  ])("after %j", (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });
});

test.skipIf(!hasBash)("bash offers the same after npx kubewright", () => {
  const script = `${completionScript("bash", commands)}
COMP_WORDS=(npx kubewright create api --te); COMP_CWORD=4; _kubewright_npx; printf '%s\\n' "\${COMPREPLY[@]}"
COMP_WORDS=(npx kubew); COMP_CWORD=1; cd /; _kubewright_npx; printf '%s\\n' "\${COMPREPLY[@]}"
complete -p npx`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect({ stderr, lines: stdout.trim().split("\n") }).toEqual({
    stderr: "",
    lines: ["--template", "kubewright", "complete -o filenames -F _kubewright_npx npx"],
  });
});

/** Whether a shell is on this machine; tests of the others are skipped and counted. */
const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

test.skipIf(!has("zsh"))(
  "zsh reads its script, as a file that is sourced and as a function that is autoloaded",
  () => {
    const script = `autoload -U compinit && compinit -u -D\n${completionScript("zsh", commands)}
print -l "$_comps[kubewright]" "$_comps[npx]"`;
    const { stdout, stderr, status } = spawnSync("zsh", ["-f", "-c", script], { encoding: "utf8" });
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout).toMatch(/-F _kubewright\n.*-F _kubewright_npx/);
  },
);

test.skipIf(!has("fish"))("fish offers the same after kubewright and after npx kubewright", () => {
  const offers = (line: string) => {
    const script = `${completionScript("fish", commands)}\ncomplete -C '${line}'`;
    const { stdout } = spawnSync("fish", ["--no-config", "-c", script], { encoding: "utf8" });
    return stdout.split("\n").map((offer) => offer.split("\t")[0]);
  };
  expect(offers("kubewright create api --te")).toContain("--template");
  expect(offers("npx kubew")).toContain("kubewright");
});

test("scripts complete npx kubewright in every shell", () => {
  expect(completionScript("bash", commands)).toContain("-F _kubewright_npx npx");
  expect(completionScript("zsh", commands)).toMatch(/^#compdef kubewright npx\n/);
  expect(completionScript("fish", commands)).toContain("complete -c npx");
});

test.each(["zsh", "fish"] as const)("the script for %s names commands, options and values", (shell) => {
  const script = completionScript(shell, commands);
  for (const word of ["api", "completion", "embedded", "minimal"]) expect(script).toContain(word);
});
